import { hash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseLayout } from '@popsvc/platform/postgres';
import { readJsonFile, writeJsonFile } from '@popsvc/platform/runtime';
import { z } from 'zod';

export const backupFormat = 1;

const BackedUpFile = z.object({
  /** Relative to the folder of the backup, with slashes. */
  path: z.string(),
  bytes: z.int(),
  sha256: z.string(),
});
export type BackedUpFile = z.output<typeof BackedUpFile>;

/** The field `backup` of `backup.json`. This file is written last: a backup without it is incomplete. */
export const BackupManifest = z.object({
  format: z.literal(backupFormat),
  release: z.string(),
  data_format: z.int(),
  created_at: z.string(),
  read_models: z.boolean(),
  /** Log position after the last copied record. */
  log_end: z.number(),
  database: DatabaseLayout,
  checkpoints: z.array(
    z.object({
      projection: z.string(),
      generation: z.int(),
      partition: z.int(),
      position: z.string(),
      begun: z.string(),
    }),
  ),
  /** Symbolic links: `path` is relative to DATA_DIR, `target` to the folder of the link. */
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  files: z.array(BackedUpFile),
});
export type BackupManifest = z.output<typeof BackupManifest>;

const SealedManifest = z.object({ sha256: z.string(), backup: z.unknown() });

export const manifestPath = (folder: string): string => join(folder, 'backup.json');

const hashOf = (backup: unknown): string => hash('sha256', JSON.stringify(backup));

export const writeManifest = (folder: string, backup: BackupManifest): Promise<void> =>
  writeJsonFile(manifestPath(folder), { sha256: hashOf(backup), backup });

/** Returns `damaged` if the hash does not match or this release cannot parse the file. */
export const readManifest = async (folder: string): Promise<BackupManifest | 'missing' | 'damaged'> => {
  const stored = await readJsonFile(manifestPath(folder)).catch((error: unknown) => {
    if (error instanceof SyntaxError) return 'damaged';
    throw error;
  });
  if (stored === undefined) return 'missing';
  const sealed = SealedManifest.safeParse(stored);
  if (!sealed.success || hashOf(sealed.data.backup) !== sealed.data.sha256) return 'damaged';
  const manifest = BackupManifest.safeParse(sealed.data.backup);
  return manifest.success ? manifest.data : 'damaged';
};

export const rowsPath = (table: string): string => `postgres/${table}.copy`;
