import { readFileSync } from 'node:fs';
import type { Slice } from './slice.ts';

/** Linux counts a process's CPU in hundredths of a second, whatever its own clock. */
const tickUs = 10_000;

/** Ticks by kind: user and system, and the same of children that ended. */
const ticksOf = (pid: number): readonly number[] => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name and may hold anything; the fourteenth to seventeenth are the ticks.
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map(Number);
};

/** CPU the process has used so far with all its threads, user and system, µs. For this process it is exact. */
export const readCpuUs = (pid: number): number => {
  if (pid === process.pid) {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
  const [user = 0, system = 0] = ticksOf(pid);
  return (user + system) * tickUs;
};

/** How much CPU something has used so far, µs: a process by its id, or whatever can tell. */
export type CpuSource = number | (() => number);

const spentBy = (spender: CpuSource): number => (typeof spender === 'number' ? readCpuUs(spender) : spender());

/** CPU of a process, the children it has and those it had, as PostgreSQL's server does its work by children. */
export const readFamilyCpuUs = (pid: number): number => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const own = ticksOf(pid).reduce((sum, ticks) => sum + ticks, 0) * tickUs;
  return children.reduce((sum, child) => sum + readCpuUs(Number(child)), own);
};

/** The most memory the process ever held at a time, bytes. */
export const readPeakBytes = (pid: number): number => {
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
};

export interface Work {
  readonly units: number;
  /** Where the work knows it better than who waits for it. */
  readonly wallMs?: number;
  readonly latenciesMs?: readonly number[];
}

/** Runs the work and counts what the processes spend meanwhile. */
export const measure = async (pids: Readonly<Record<string, CpuSource>>, work: () => Promise<Work>): Promise<Slice> => {
  const before = Object.entries(pids).map(([name, pid]) => [name, pid, spentBy(pid)] as const);
  const began = performance.now();
  const { units, wallMs = performance.now() - began, latenciesMs = [] } = await work();
  const cpuUs = Object.fromEntries(before.map(([name, pid, spent]) => [name, spentBy(pid) - spent]));
  return { units, wallMs, cpuUs, latenciesMs };
};
