import { AsyncLocalStorage } from 'node:async_hooks';
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { memoryFileSystem, nameRunFolder, removeStaleRuns } from './stale-runs.ts';

type CleanUp = () => Promise<void>;

/** Clean-up functions of the current spec, and of the servers that all specs of this process share. */
const [ofSpec, ofRun]: [CleanUp[], CleanUp[]] = [[], []];
const sharing = new AsyncLocalStorage<true>();
let ending: Promise<void> | undefined;

/** Registers a clean-up function for an engine, a process or a temporary folder. It is called at the end of the spec, the newest first. */
export const addCleanUp = (cleanUp: CleanUp): void => void (sharing.getStore() ? ofRun : ofSpec).push(cleanUp);

/** Starts something that later specs use too: what `start` registers for clean-up is kept until the run ends. */
export const shareForRun = <T>(start: () => Promise<T>): Promise<T> => sharing.run(true, start);

const callAll = async (cleanUps: CleanUp[]): Promise<void> => {
  for (let cleanUp = cleanUps.pop(); cleanUp; cleanUp = cleanUps.pop()) await cleanUp();
};

/** Cleans up what the spec that ended has left. */
export const endSpec = (): Promise<void> => callAll(ofSpec);

/** Cleans up everything; later calls return the same promise. SIGINT and SIGTERM also end the run. */
export const endRun = (): Promise<void> => (ending ??= endSpec().then(() => callAll(ofRun)));

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void endRun().finally(() => process.exit(code)));

/** Free memory required to keep temporary folders in memory. This is several times the total size of a test run's folders. */
const requiredMemoryBytes = 16 * 2 ** 30;

const hasFreeMemory = (): boolean => {
  if (!existsSync(memoryFileSystem)) return false;
  const { bavail, bsize } = statfsSync(memoryFileSystem);
  return Math.min(bavail * bsize, freemem()) > requiredMemoryBytes;
};

let parentFolder: Promise<string> | undefined;

/**
 * Chooses the parent of all temporary folders, after the folders of dead runs are removed. It is on a memory file system if enough
 * memory is free, because the engines write a lot. Long specs (POPSVC_LONG=1) use the disk.
 */
const chooseParentFolder = async (): Promise<string> => {
  await removeStaleRuns();
  return process.env['POPSVC_LONG'] !== '1' && hasFreeMemory() ? memoryFileSystem : tmpdir();
};

/** Creates an empty folder that is removed when the spec ends. Other users can read it, because PostgreSQL may run as another user. */
export const temporaryFolder = async (name: string): Promise<string> => {
  const parent = await (parentFolder ??= chooseParentFolder());
  if (ending !== undefined) throw new Error('cannot create a temporary folder: the run is ending');
  const dir = mkdtempSync(join(parent, `${nameRunFolder(name)}-`));
  chmodSync(dir, 0o755);
  addCleanUp(async () => {
    // An interrupted test may not have stopped its PostgreSQL server, which keeps running when its parent process ends.
    await stopOrphanedServer(join(dir, 'cluster'));
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
};
