import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopLeftover } from '@popsvc/embedded/postgres';
import { isAlive } from '@popsvc/embedded/supervise';

/** What this run put under the temporary folder, and how it is all taken away again. */
const closers: (() => Promise<void>)[] = [];
let swept: Promise<void> | undefined;
let ending: Promise<void> | undefined;

/** Runs when the last suite is over, the newest first, and also when the run is interrupted. */
export const whenRunEnds = (close: () => Promise<void>): void => void closers.push(close);

/** Once, whoever asks first: the end of the last suite or a signal. */
const endRun = (): Promise<void> => (ending ??= closeAll());

const closeAll = async (): Promise<void> => {
  for (let close = closers.pop(); close; close = closers.pop()) await close();
};

const PREFIX = 'popsvc-test-';

/** An empty folder that lasts as long as the run. Every user may pass through it: PostgreSQL's does. */
export const room = async (name: string): Promise<string> => {
  swept ??= sweep();
  await swept;
  if (ending) throw new Error('the run is ending');
  const dir = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${name}-`));
  chmodSync(dir, 0o755);
  whenRunEnds(async () => {
    // An interrupted suite has not stopped the server it had there, and this one outlives its parent.
    await stopLeftover(join(dir, 'cluster'));
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });
  return dir;
};

/** What runs that were killed have left: their PostgreSQL servers and their folders. */
const sweep = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    const dir = join(tmpdir(), name);
    await stopLeftover(join(dir, 'cluster'));
    rmSync(dir, { recursive: true, force: true });
  }
};

// Loaded while mocha reads a spec file, so this is a hook of the whole run, set once.
after('engines and folders of the run', async function () {
  this.timeout(60_000);
  await endRun();
});
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => void endRun().finally(() => process.exit(code)));
