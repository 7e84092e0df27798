import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { isProcessAlive } from '@popsvc/platform/runtime';

/** Clean-up functions for the engines, processes and temporary folders that the run has created. */
const closers: (() => Promise<void>)[] = [];
let ending: Promise<void> | undefined;

/** Registers a clean-up function. `endRun` calls all of them, the newest first. */
export const whenRunEnds = (close: () => Promise<void>): void => void closers.push(close);

const closeAll = async (): Promise<void> => {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
};

/** Calls the clean-up functions once; later calls return the same promise. SIGINT and SIGTERM also end the run. */
export const endRun = (): Promise<void> => (ending ??= closeAll());

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void endRun().finally(() => process.exit(code)));

const folderPrefix = 'popsvc-test-';
const memoryFileSystem = '/dev/shm';
/** Free memory required to keep temporary folders in memory. This is several times the total size of a test run's folders. */
const requiredMemoryBytes = 16 * 2 ** 30;

const hasFreeMemory = (): boolean => {
  if (!existsSync(memoryFileSystem)) return false;
  const { bavail, bsize } = statfsSync(memoryFileSystem);
  return Math.min(bavail * bsize, freemem()) > requiredMemoryBytes;
};

/**
 * Parent of all temporary folders. It is on a memory file system if enough memory is free, because the engines write a lot. Long
 * specs (POPSVC_LONG=1) use the disk.
 */
const parentFolder = process.env['POPSVC_LONG'] !== '1' && hasFreeMemory() ? memoryFileSystem : tmpdir();

let staleFoldersRemoved: Promise<void> | undefined;

/** Stops the PostgreSQL servers that killed test runs left running, and removes the folders of these runs. */
const removeStaleFolders = async (): Promise<void> => {
  for (const parent of new Set([tmpdir(), parentFolder]))
    for (const name of readdirSync(parent)) {
      const pid = name.startsWith(folderPrefix) ? Number.parseInt(name.slice(folderPrefix.length), 10) : Number.NaN;
      if (Number.isNaN(pid) || isProcessAlive(pid)) continue;
      const dir = join(parent, name);
      await stopOrphanedServer(join(dir, 'cluster'));
      // Removal fails if another run removes the folder at the same time, or if a process of the killed run still writes to it. The error
      // is ignored, because the next run retries.
      await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
    }
};

/** Creates an empty folder that is removed when the run ends. Other users can read it, because PostgreSQL may run as another user. */
export const temporaryFolder = async (name: string): Promise<string> => {
  await (staleFoldersRemoved ??= removeStaleFolders());
  if (ending !== undefined) throw new Error('cannot create a temporary folder: the run is ending');
  const dir = mkdtempSync(join(parentFolder, `${folderPrefix}${process.pid}-${name}-`));
  chmodSync(dir, 0o755);
  whenRunEnds(async () => {
    // An interrupted test may not have stopped its PostgreSQL server, which keeps running when its parent process ends.
    await stopOrphanedServer(join(dir, 'cluster'));
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
};
