import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '@popsvc/tools/rig';

/** A folder on a disk that a test can fill. */
export interface SmallDisk {
  readonly kind: 'tmpfs' | 'limited writes';
  readonly dir: string;
  /** Added to the environment of processes that use the folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Fills the disk until about this many bytes are left. */
  leave(bytes: number): Promise<void>;
  /** Makes room again. */
  clear(): Promise<void>;
  /** To be called when no process uses the folder. */
  remove(): void;
}

const sizeBytes = 8 * 1024 * 1024;
const pageBytes = 4096;

/** A file system in memory, on which the kernel refuses writes; undefined if this process is not allowed to mount one. */
const mountTmpfs = async (): Promise<SmallDisk | undefined> => {
  const dir = await temporaryFolder('small-disk');
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', dir]).status !== 0) return undefined;
  const ballast = join(dir, 'ballast');
  return {
    kind: 'tmpfs',
    dir,
    env: {},
    leave(bytes) {
      const { bavail, bsize } = statfsSync(dir);
      const pages = Math.max(0, Math.floor((bavail * bsize - bytes) / pageBytes));
      writeFileSync(ballast, Buffer.alloc(pages * pageBytes));
      return Promise.resolve();
    },
    clear() {
      rmSync(ballast, { force: true });
      return Promise.resolve();
    },
    remove: () => void spawnSync('umount', [dir]),
  };
};

/** A folder in which the functions of Node.js that write files fail as on a full disk (see limited-disk.fixture.ts). */
const limitWrites = async (): Promise<SmallDisk> => {
  const limit = join(await temporaryFolder('disk-limit'), 'room');
  const preload = new URL('./limited-disk.fixture.js', import.meta.url).href;
  const setLimit = async (room: string) => {
    writeFileSync(limit, room);
    // The process reads the file every 5 ms.
    await sleep(50);
  };
  await setLimit('');
  return {
    kind: 'limited writes',
    dir: await temporaryFolder('limited-disk'),
    env: { LIMITED_DISK: limit, NODE_OPTIONS: `--import ${preload}` },
    leave: (bytes) => setLimit(String(bytes)),
    clear: () => setLimit(''),
    remove: () => undefined,
  };
};

export const createSmallDisk = async (): Promise<SmallDisk> => (await mountTmpfs()) ?? limitWrites();
