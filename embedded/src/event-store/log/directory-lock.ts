import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Owner {
  readonly pid: number;
  /** Tells a process from a later one with the same pid; empty where the system does not say. */
  readonly born: string;
  readonly released: boolean;
}

const bornOf = (pid: number): string => {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? 'dead, not yet collected by its parent' : `${boot}/${rest[18] ?? ''}`;
  } catch {
    return '';
  }
};

const lives = (owner: Owner): boolean => {
  if (owner.released) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return owner.born === '' || owner.born === bornOf(owner.pid);
};

/** A file that a power cut left empty belongs to nobody; one that just vanished has a successor. */
const ownerIn = (path: string): Owner | 'nobody' | 'gone' => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'nobody';
  }
};

const numberOf = (name: string): number => Number(/^lock\.(\d+)$/.exec(name)?.[1] ?? -1);

/**
 * Keeps a second node out of a directory. Each owner creates the next number; the file of the highest number is never
 * removed, only marked as released, so two takers of a dead owner's directory meet at the same name and one loses.
 */
export const lockDirectory = (dir: string): { readonly release: () => void } => {
  const draft = join(dir, `lock-draft.${String(process.pid)}`);
  const write = (released: boolean): void => {
    const owner: Owner = { pid: process.pid, born: bornOf(process.pid), released };
    writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 });
  };
  for (;;) {
    const highest = Math.max(0, ...readdirSync(dir).map(numberOf));
    if (highest > 0) {
      const owner = ownerIn(join(dir, `lock.${highest}`));
      if (owner === 'gone') continue;
      if (owner !== 'nobody' && lives(owner)) throw new Error(`${dir} is in use by process ${owner.pid}`);
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
      if (numberOf(name) > 0 && numberOf(name) <= highest) rmSync(join(dir, name), { force: true });
    }
    return {
      release: () => {
        write(true);
        renameSync(draft, own);
      },
    };
  }
};
