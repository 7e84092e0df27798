import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const hasProcFileSystem = existsSync('/proc/self/stat');

/** Indexes in the result of `readStat`, which begins with field 3 of /proc/PID/stat, after the program name. */
const stateField = 0;
const sessionField = 3;
const startTimeField = 19;

const readStat = (pid: number): readonly string[] | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name is in parentheses and may contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
};

const exists = (pid: number): boolean => {
  try {
    // Ids below 1 name groups of processes (kill(2)).
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * Returns the start time in clock ticks since boot; empty if it cannot be read; undefined if the process has ended. The operating
 * system reuses process ids, but id and start time together identify a process.
 */
export const readProcessStart = (pid: number): string | undefined => {
  const stat = hasProcFileSystem ? readStat(pid) : undefined;
  // A system may hide the processes of other users in /proc, so an unreadable stat does not mean that the process has ended.
  if (!stat) return exists(pid) ? '' : undefined;
  if (['Z', 'X'].includes(stat[stateField] ?? '')) return undefined;
  return stat[startTimeField] ?? '';
};

/** Returns false also if the id now belongs to a process with another start time. An empty start time is not compared. */
export const isProcessAlive = (pid: number, startTime = ''): boolean => {
  const found = readProcessStart(pid);
  return found !== undefined && (startTime === '' || found === '' || found === startTime);
};

const isSessionLeader = (): boolean => readStat(process.pid)?.[sessionField] === String(process.pid);

/** The lowest priority is 19. With 15, a process still gets 3 % of a core that a process of priority 0 keeps busy. */
const lowPriority = 15;

/**
 * With autogroup (sched(7)), Linux divides a core evenly between sessions, whatever the priorities of their processes. A session
 * leader therefore also sets the priority of its session.
 */
export const lowerPriority = (): void => {
  setPriority(lowPriority);
  if (!isSessionLeader()) return;
  try {
    writeFileSync('/proc/self/autogroup', String(lowPriority));
  } catch {
    // The kernel may have no autogroup, or refuse a second change within 0.1 s.
  }
};
