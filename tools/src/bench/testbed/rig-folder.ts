import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopOrphanedServer } from '@popsvc/embedded/postgres';
import { isAlive } from '@popsvc/embedded/supervisor';

const prefix = 'popsvc-bench-';

/** A folder of this process, which every user may pass through: PostgreSQL's does. */
export const createDataFolder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  chmodSync(dir, 0o755);
  return dir;
};

export const removeDataFolder = async (dir: string): Promise<void> => {
  // A PostgreSQL whose parent was killed goes on; nobody else does.
  await stopOrphanedServer(join(dir, 'postgres', 'cluster'));
  await rm(dir, { recursive: true, force: true, maxRetries: 5 });
};

/** Takes away what a bench that was killed has left. */
export const removeStaleDataFolders = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isAlive(pid)) await removeDataFolder(join(tmpdir(), name));
  }
};
