import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError, popsvcVersion, readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import { z } from 'zod';
import { restrictFolder } from '../postgres/privileges.ts';

/** Increase this number in a release that cannot read folders written by earlier releases. */
export const dataFormat = 3;

export const formatFileName = 'popsvc-data.json';

/** This file is in DATA_DIR from the beginning of a restore until the restore is complete. */
export const unfinishedRestoreName = 'restore-unfinished';

const DataFormatFile = z.object({
  format: z.int().positive(),
  release: z.string(),
});

const popsvcEntries: ReadonlySet<string> = new Set([
  'clickhouse',
  'demo-credentials.json',
  'endpoints.json',
  'event-store',
  'postgres',
  'secrets.json',
  'uploads',
]);

export class DataFormatError extends OperatorError {
  override readonly name = 'DataFormatError';
}

/** Creates DATA_DIR for this account only, and the folders above it with the default modes. Existing folders keep their modes. */
export const createDataFolder = async (dataDir: string): Promise<void> => {
  await mkdir(dirname(dataDir), { recursive: true });
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
};

/** `startPostgres` restricts the folder `postgres` to PostgreSQL's account. */
const privateFolders = ['clickhouse', 'event-store', 'uploads'];

/**
 * An earlier release or a copy may have left the folders open. If this process is root, the embedded PostgreSQL runs as another account,
 * which must pass DATA_DIR.
 */
export const restrictDataFolder = (dataDir: string, { hasPostgres }: { readonly hasPostgres: boolean }): void => {
  restrictFolder(dataDir, hasPostgres && process.getuid?.() === 0 ? 0o711 : 0o700);
  for (const name of privateFolders) restrictFolder(join(dataDir, name), 0o700);
};

/**
 * Throws a `DataFormatError` and changes nothing if a restore is unfinished, or if the format of the data is unknown or not supported.
 */
export const prepareDataFolder = async (dataDir: string): Promise<void> => {
  if (existsSync(join(dataDir, unfinishedRestoreName)))
    throw new DataFormatError(
      `DATA_DIR ${dataDir} is restored incompletely, because a restore was interrupted (${unfinishedRestoreName}). ` +
        'Run popsvc restore again with this DATA_DIR, or start with another DATA_DIR.',
    );
  const path = join(dataDir, formatFileName);
  const stored = await readJsonFile(path).catch((error: unknown) => {
    if (error instanceof SyntaxError) return 'invalid';
    throw error;
  });
  if (stored !== undefined) {
    assertKnownFormat(dataDir, path, stored);
    return;
  }
  const entries = await readdir(dataDir).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const unknownData = entries.filter((entry) => popsvcEntries.has(entry));
  if (unknownData.length > 0)
    throw new DataFormatError(
      `DATA_DIR ${dataDir} contains popsvc data (${unknownData.sort().join(', ')}) but no ${formatFileName}: ` +
        'a version before 0.1.0-alpha.1 wrote it, which no release reads, or the copy of the folder is incomplete. ' +
        'Nothing was changed. Copy the whole folder again, or start with another DATA_DIR.',
    );
  await createDataFolder(dataDir);
  await writeJsonFile(path, { format: dataFormat, release: popsvcVersion } satisfies z.output<typeof DataFormatFile>);
};

const assertKnownFormat = (dataDir: string, path: string, stored: unknown): void => {
  const { success, data } = DataFormatFile.safeParse(stored);
  if (!success)
    throw new DataFormatError(
      `${path} is damaged: it must contain the format and the release of the folder. ` +
        'Nothing was changed. Restore DATA_DIR from a backup, or start with another DATA_DIR.',
    );
  if (data.format !== dataFormat)
    throw new DataFormatError(
      `DATA_DIR ${dataDir} has data format ${data.format}, written by popsvc ${data.release}; ` +
        `popsvc ${popsvcVersion} reads format ${dataFormat}. ` +
        `Nothing was changed. Start popsvc ${data.release} on this folder, or start with another DATA_DIR.`,
    );
};
