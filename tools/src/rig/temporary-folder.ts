import { chmodSync, existsSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { isAlive } from '@popsvc/embedded/supervisor';
import { isRunEnding, whenRunEnds } from './run-end.ts';

let swept: Promise<void> | undefined;

const PREFIX = 'popsvc-test-';

const memory = '/dev/shm';
/** Several times what all rooms of a run hold. */
const plenty = 16 * 2 ** 30;

const hasPlenty = (): boolean => {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return Math.min(bavail * bsize, freemem()) > plenty;
};

/** In memory where there is plenty of it: nothing here outlasts the run, and engines do much for a disk. Long forms have the disk. */
const home = process.env['POPSVC_LONG'] !== '1' && hasPlenty() ? memory : tmpdir();

/** An empty folder that lasts as long as the run. Every user may pass through it: PostgreSQL's does. */
export const temporaryFolder = async (name: string): Promise<string> => {
  swept ??= sweep();
  await swept;
  if (isRunEnding()) throw new Error('the run is ending');
  const dir = mkdtempSync(join(home, `${PREFIX}${process.pid}-${name}-`));
  chmodSync(dir, 0o755);
  whenRunEnds(async () => {
    // An interrupted suite has not stopped the server it had there, and this one outlives its parent.
    await stopOrphanedServer(join(dir, 'cluster'));
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
};

/** What runs that were killed have left: their PostgreSQL servers and their folders. */
const sweep = async (): Promise<void> => {
  for (const folder of new Set([tmpdir(), home])) await sweepIn(folder);
};

const sweepIn = async (folder: string): Promise<void> => {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const dir = join(folder, name);
    await stopOrphanedServer(join(dir, 'cluster'));
    // Another run may be sweeping it, too, or something of the dead one still writes there: the next run does the rest.
    await rm(dir, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
};
