import { readFileSync } from 'node:fs';
import type { Slice } from './slices.ts';

/** Duration of a clock tick, the unit of CPU time in /proc: a hundredth of a second. */
const tickUs = 10_000;

/**
 * Reads four CPU times of a process, in ticks: its own user and system time, then the user and system time of its exited
 * children.
 */
const ticksOf = (pid: number): readonly number[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the program's name, may contain spaces and brackets. Fields 14 to 17 are the four CPU times.
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
};

/**
 * Reads the user and system CPU time that all threads of a process have used so far, µs. For processes other than the current
 * one, the resolution is one clock tick.
 */
export const cpuUsOf = (pid: number): number => {
  if (pid === process.pid) {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
  const [user = 0, system = 0] = ticksOf(pid);
  return (user + system) * tickUs;
};

/** A process id, or a function that returns the CPU time used so far, µs. */
export type CpuMeter = number | (() => number);

const readCpuUs = (meter: CpuMeter): number => (typeof meter === 'number' ? cpuUsOf(meter) : meter());

/**
 * Reads the CPU time that a process and its children, running or exited, have used so far, µs. Needed because PostgreSQL runs
 * each session in a child process.
 */
export const cpuUsWithChildren = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const own = ticksOf(pid).reduce((sum, ticks) => sum + ticks, 0) * tickUs;
  return children.reduce((sum, child) => sum + cpuUsOf(Number(child)), own);
};

/** Reads the peak resident memory of a process, in bytes. */
export const readPeakBytes = (pid: number): number => {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
};

export interface Work {
  readonly units: number;
  /** Elapsed time, if the work measures it itself; by default `measureSlice` measures it. */
  readonly wallMs?: number;
  readonly latenciesMs?: readonly number[];
}

/** Runs the work and measures its elapsed time and the CPU time of the processes. */
export const measureSlice = async (
  meters: Readonly<Record<string, CpuMeter>>,
  work: () => Promise<Work>,
): Promise<Slice> => {
  const before = Object.entries(meters).map(([name, meter]) => [name, meter, readCpuUs(meter)] as const);
  const began = performance.now();
  const { units, wallMs = performance.now() - began, latenciesMs = [] } = await work();
  const cpuUs = Object.fromEntries(before.map(([name, meter, usedUs]) => [name, readCpuUs(meter) - usedUs]));
  return { units, wallMs, cpuUs, latenciesMs };
};
