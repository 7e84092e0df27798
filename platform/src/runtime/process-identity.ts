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
 * Returns the start time of a running process, in clock ticks since the machine started. The operating system reuses process ids,
 * but id and start time together identify a process. Returns undefined if the process has ended; empty if the start time cannot be
 * read, for example on systems without /proc.
 */
export const readProcessStart = (pid: number): string | undefined => {
  const stat = hasProcFileSystem ? readStat(pid) : undefined;
  // An unreadable stat does not mean that the process has ended: a system may hide the processes of other users in /proc, and
  // reading fails without a free file descriptor.
  if (!stat) return exists(pid) ? '' : undefined;
  // A process that was killed stays in the process table as a zombie (Z) until its parent reaps it. X: the process is removed now.
  if (['Z', 'X'].includes(stat[stateField] ?? '')) return undefined;
  return stat[startTimeField] ?? '';
};

/**
 * Returns whether a process runs; a zombie does not. With `startTime`, an earlier result of `readProcessStart`, also returns false
 * if the id now belongs to another process. If a start time is empty, the two are not compared.
 */
export const isProcessAlive = (pid: number, startTime = ''): boolean => {
  const found = readProcessStart(pid);
  return found !== undefined && (startTime === '' || found === '' || found === startTime);
};

/** Returns whether this process started its session; false if /proc cannot be read. */
const isSessionLeader = (): boolean => readStat(process.pid)?.[sessionField] === String(process.pid);

/** The lowest priority is 19. With 15, a process still gets 3 % of a core that a process of priority 0 keeps busy. */
const lowPriority = 15;

/**
 * Lowers the CPU priority of this process, so that other services come first while they compete for a core. Threads that already
 * exist keep their priority, except the main thread.
 *
 * With autogroup (sched(7)), Linux divides a core evenly between sessions, whatever the priorities of their processes. A process
 * that started its session therefore also sets the priority of the session. In a container, limit the CPU share of the container
 * instead.
 */
export const lowerPriority = (): void => {
  setPriority(lowPriority);
  if (!isSessionLeader()) return;
  try {
    writeFileSync('/proc/self/autogroup', String(lowPriority));
  } catch {
    // The kernel may have no autogroup, or refuse a second change within 0.1 s. The process also works without the priority.
  }
};
