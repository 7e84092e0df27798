import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isSessionLeader } from './process-identity.ts';

/** 19 is the lowest. While one process of priority 0 keeps a core busy, 15 still gets 3 % of it. */
const lowPriority = 15;

/**
 * Lowers the CPU priority of this process, so that other services come first while they compete for a core. Threads that exist keep
 * theirs, except the main thread.
 *
 * Linux groups processes by session and divides a core evenly between the groups, whatever the priorities of their processes
 * (sched(7), autogroup). So the group gets the priority, too, if this process started it. A container needs a share of its own instead.
 */
export const lowerPriority = (): void => {
  setPriority(lowPriority);
  if (!isSessionLeader()) return;
  try {
    writeFileSync('/proc/self/autogroup', String(lowPriority));
  } catch {
    // The kernel has no such groups, or another process changed one less than 0.1 s ago. The process works without.
  }
};
