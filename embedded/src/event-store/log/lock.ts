import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Owner {
  readonly pid: number;
  /**
   * Boot id and start time of the process, which distinguish it from a later process with the same pid; empty on systems without /proc.
   */
  readonly startTime: string;
  readonly released: boolean;
}

const readStartTime = (pid: number): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // `rest[18]` is field 22 of /proc/PID/stat, the start time. A zombie counts as dead, because 'zombie' never equals the start time
    // in a lock file.
    return state === 'Z' ? 'zombie' : `${boot}/${rest[18] ?? ''}`;
  } catch {
    return '';
  }
};

const isOwnerAlive = (owner: Owner): boolean => {
  if (owner.released) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return owner.startTime === '' || owner.startTime === readStartTime(owner.pid);
};

/** Reads the owner from a lock file. `unknown`: a power failure left the file empty. `removed`: a newer lock replaced it. */
const readOwner = (path: string): Owner | 'unknown' | 'removed' => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'removed' : 'unknown';
  }
};

const lockNumber = (name: string): number => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? -1);

/**
 * Locks a directory so that only one node can use it. Each owner creates the lock file with the next higher number. The file with
 * the highest number is never removed, only marked as released. Two processes that take over from a dead owner therefore compete
 * for the same file name, and one of them fails.
 */
export const lockDirectory = (dir: string): { readonly release: () => void } => {
  const draft = join(dir, `lock-draft.${String(process.pid)}`);
  const write = (released: boolean): void => {
    const owner: Owner = { pid: process.pid, startTime: readStartTime(process.pid), released };
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  };
  for (;;) {
    const highest = Math.max(0, ...readdirSync(dir).map(lockNumber));
    if (highest > 0) {
      const owner = readOwner(join(dir, `lock.${highest}`));
      if (owner === 'removed') continue;
      if (owner !== 'unknown' && isOwnerAlive(owner))
        throw new Error(`${dir} is in use by process ${owner.pid}; stop that process or use another folder`);
    }
    const own = join(dir, `lock.${highest + 1}`);
    write(false);
    try {
      linkSync(draft, own);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    for (const name of readdirSync(dir)) {
      if (lockNumber(name) > 0 && lockNumber(name) <= highest) rmSync(join(dir, name), { force: true });
    }
    return {
      release: () => {
        write(true);
        renameSync(draft, own);
      },
    };
  }
};
