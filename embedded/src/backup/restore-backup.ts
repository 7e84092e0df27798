import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fillDatabase, findUnknownMigrations } from '@popsvc/platform/postgres';
import { OperatorError, popsvcVersion, syncDirectory, syncDirectoryTree } from '@popsvc/platform/runtime';
import pMap from 'p-map';
import { clusterPath } from '../postgres/cluster.ts';
import { stopOrphanedServer } from '../postgres/orphaned-server.ts';
import { startPostgres } from '../postgres/server.ts';
import {
  createDataFolder,
  dataFormat,
  formatFileName,
  restrictDataFolder,
  unfinishedRestoreName,
} from '../start/data-format.ts';
import { lockDataFolder, lockFileName } from '../start/folder-lock.ts';
import { loadSecrets } from '../start/secrets.ts';
import { openFile, writeNewFile } from './copy-file.ts';
import { type BackupSummary, summarizeBackup } from './create-backup.ts';
import { type BackedUpFile, type BackupManifest, rowsPath } from './manifest.ts';
import { requireManifest, verifyBackup } from './verify-backup.ts';

const concurrency = 8;

const maxNamed = 5;

const requireRestorable = async (folder: string): Promise<BackupManifest> => {
  const manifest = await requireManifest(folder);
  const { release, data_format, database } = manifest;
  if (data_format !== dataFormat || findUnknownMigrations(database).length > 0)
    throw new OperatorError(
      `${folder} is a backup of popsvc ${release}, which popsvc ${popsvcVersion} cannot restore: restore it with that release`,
    );
  const { problems } = await verifyBackup(folder);
  if (problems.length > 0)
    throw new OperatorError(
      `${folder} is damaged, and nothing was restored: ${problems.slice(0, maxNamed).join('; ')}` +
        `${problems.length > maxNamed ? ` and ${problems.length - maxNamed} more` : ''}. Use another backup.`,
    );
  return manifest;
};

/** Resolves with the lock of the folder. Removes what an interrupted restore left, and rejects any other content. */
const prepareTarget = async (dataDir: string): Promise<{ readonly release: () => void }> => {
  await createDataFolder(dataDir);
  const entries = (await readdir(dataDir)).filter((entry) => entry !== lockFileName);
  const isUnfinished = entries.includes(unfinishedRestoreName);
  if (entries.length > 0 && !isUnfinished)
    throw new OperatorError(
      `DATA_DIR ${dataDir} is not empty, and nothing was restored: set DATA_DIR to a new folder, or move the content of this one away`,
    );
  const lock = await lockDataFolder(dataDir);
  restrictDataFolder(dataDir, { hasPostgres: true });
  if (isUnfinished) {
    // PostgreSQL outlives the process that started it, so the server of the interrupted restore may still run.
    await stopOrphanedServer(clusterPath(join(dataDir, 'postgres')));
    for (const entry of entries)
      if (entry !== unfinishedRestoreName) await rm(join(dataDir, entry), { recursive: true, force: true });
    return lock;
  }
  await writeFile(join(dataDir, unfinishedRestoreName), '', { mode: 0o600 });
  await syncDirectory(dataDir);
  return lock;
};

const copyBack = async (folder: string, dataDir: string, { path, sha256 }: BackedUpFile): Promise<void> => {
  const copied = await writeNewFile(join(dataDir, path), openFile(join(folder, path)));
  if (copied.sha256 !== sha256)
    throw new OperatorError(`${join(folder, path)} changed while it was restored: use another backup`);
};

const restoreDatabase = async (folder: string, dataDir: string, { database }: BackupManifest): Promise<void> => {
  const { postgres: password } = await loadSecrets(dataDir);
  const server = await startPostgres({ dataDir: join(dataDir, 'postgres'), port: 0, password });
  try {
    await fillDatabase(server.url, database, ({ name }) => openFile(join(folder, rowsPath(name))));
  } finally {
    await server.stop();
  }
};

export const restoreBackup = async (folder: string, dataDir: string): Promise<BackupSummary> => {
  const manifest = await requireRestorable(folder);
  const lock = await prepareTarget(dataDir);
  try {
    await restoreInto(dataDir, folder, manifest);
  } finally {
    lock.release();
  }
  return summarizeBackup(folder, manifest);
};

const restoreInto = async (dataDir: string, folder: string, manifest: BackupManifest): Promise<void> => {
  const isCopied = ({ path }: BackedUpFile) => !path.startsWith('postgres/') && path !== formatFileName;
  await pMap(manifest.files.filter(isCopied), (file) => copyBack(folder, dataDir, file), { concurrency });
  for (const { path, target } of manifest.links) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true, mode: 0o700 });
    await symlink(target, join(dataDir, path));
  }
  await restoreDatabase(folder, dataDir, manifest);
  for (const file of manifest.files) if (file.path === formatFileName) await copyBack(folder, dataDir, file);
  await syncDirectoryTree(dataDir);
  await rm(join(dataDir, unfinishedRestoreName));
  await syncDirectory(dataDir);
};
