import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type BackupRecord, backupRecordFile } from '@popsvc/contracts/diagnostics';
import { instantOf } from '@popsvc/contracts/time';
import { isServerError, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { type DatabaseCopy, isPostgresUnavailable, openDatabaseCopy } from '@popsvc/platform/postgres';
import {
  describeFailure,
  OperatorError,
  popsvcVersion,
  readJsonFile,
  syncDirectoryTree,
  writeJsonFile,
} from '@popsvc/platform/runtime';
import pMap from 'p-map';
import { z } from 'zod';
import { planLogCopy } from '../event-store/maintenance/log-copy.ts';
import { dataFormat } from '../start/data-format.ts';
import { isDataFolderLocked } from '../start/folder-lock.ts';
import { loadSecrets } from '../start/secrets.ts';
import { openFile, writeNewFile } from './copy-file.ts';
import { backupFormat, type BackedUpFile, type BackupManifest, rowsPath, writeManifest } from './manifest.ts';
import { freezeReadModels, type FrozenReadModels } from './read-models.ts';

export interface BackupOptions {
  readonly dataDir: string;
  readonly folder: string;
  /** If false, the backup has no tables of ClickHouse, and a restored service builds them again from the log. */
  readonly withReadModels: boolean;
}

/** `log_end` is the log position after the last copied record. */
export interface BackupSummary {
  readonly folder: string;
  readonly created_at: string;
  readonly read_models: boolean;
  readonly log_end: number;
  readonly files: number;
  readonly bytes: number;
}

const concurrency = 8;

const Endpoints = z.object({ event_store: z.string(), clickhouse: z.string(), postgres: z.string() });
type Endpoints = z.output<typeof Endpoints>;

const readEndpoints = async (dataDir: string, withReadModels: boolean): Promise<Endpoints> => {
  const path = join(dataDir, 'endpoints.json');
  const endpoints = Endpoints.safeParse(await readJsonFile(path));
  if (!endpoints.success || !isDataFolderLocked(dataDir))
    throw new OperatorError(
      `no service runs in DATA_DIR ${dataDir}: start it, or set DATA_DIR to its folder. ` +
        'While a service is stopped, a copy of its whole folder is a backup as well.',
    );
  const { event_store: eventStore, postgres, clickhouse } = endpoints.data;
  if (eventStore === 'external' || postgres === 'external')
    throw new OperatorError(
      `the ${eventStore === 'external' ? 'event store' : 'PostgreSQL server'} of this service is not embedded: ` +
        'back up each store with its own tools, as the guide for operators describes',
    );
  if (withReadModels && clickhouse === 'external')
    throw new OperatorError('ClickHouse is not embedded: add --without-read-models, or back it up with its own tools');
  return endpoints.data;
};

const requireEmptyFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const entries = await readdir(folder);
  if (entries.length > 0)
    throw new OperatorError(
      `${folder} is not empty: name a new folder for the backup, such as one with the date and time`,
    );
  await chmod(folder, 0o700);
};

const listFolder = async (dir: string): Promise<readonly string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1));
};

const singleFiles = ['popsvc-data.json', 'secrets.json', 'demo-credentials.json'];

const incompleteUploads = '.incoming/';

interface Target {
  readonly existed: boolean;
  /** True once this backup has the lock of the database. Before that, another backup may be writing to the folder. */
  isWriting: boolean;
}

const removeBackup = async (folder: string, { existed, isWriting }: Target): Promise<void> => {
  if (isWriting)
    for (const entry of await readdir(folder)) await rm(join(folder, entry), { recursive: true, force: true });
  if (!existed) await rmdir(folder);
};

/** Converts an error with a cause outside of this program, such as a full disk, to an OperatorError. */
const explainError = (error: unknown, folder: string): unknown => {
  if (!(error instanceof Error) || error instanceof OperatorError) return error;
  const { code = '', path, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new OperatorError(`the disk of ${folder} is full: free space on it, or name a folder on another disk`, {
      cause: error,
    });
  const store = isServerError(error) ? 'ClickHouse' : isPostgresUnavailable(error) ? 'PostgreSQL' : undefined;
  if (path !== undefined || store === undefined) return error;
  // 243 is NOT_ENOUGH_SPACE in ClickHouse, 53100 is disk_full in PostgreSQL.
  const isDiskFull = code === '243' || code === '53100' || /no space left/i.test(message);
  const advice = isDiskFull ? 'free space on the disk of DATA_DIR' : 'run popsvc doctor';
  return new OperatorError(
    `${store} reported an error (${message.split('\n')[0]!}): ${advice}, and create the backup again`,
    { cause: error },
  );
};

/** Ignores errors, such as a full disk, because the record is not part of the backup. */
const recordResult = async (dataDir: string, result: Partial<BackupRecord>): Promise<void> => {
  const path = join(dataDir, backupRecordFile);
  const before = (await readJsonFile(path).catch(() => undefined)) as BackupRecord | undefined;
  const record: BackupRecord = { complete: before?.complete ?? null, failure: null, ...result };
  try {
    await writeJsonFile(path, record);
    // The service must be able to read the file even if another account, such as root, made the backup.
    await chmod(path, 0o644);
  } catch {
    // `popsvc doctor` then reads the previous record, if there is one.
  }
};

/**
 * Records the result for `popsvc doctor`. Rejects with an OperatorError and records nothing if no service runs, an engine that it copies is
 * not embedded, or the folder is not empty.
 */
export const createBackup = async (options: BackupOptions): Promise<BackupSummary> => {
  const { dataDir, folder, withReadModels } = options;
  const endpoints = await readEndpoints(dataDir, withReadModels);
  const at = instantOf(Date.now());
  const target: Target = { existed: existsSync(folder), isWriting: false };
  try {
    await requireEmptyFolder(folder);
  } catch (error) {
    if (!(error instanceof OperatorError)) await recordFailure(dataDir, at, error);
    throw error;
  }
  try {
    const summary = await copyToBackup(options, endpoints, target);
    await recordResult(dataDir, { complete: { at: summary.created_at, folder } });
    return summary;
  } catch (failure) {
    const error = explainError(failure, folder);
    await removeBackup(folder, target).catch(() => undefined);
    await recordFailure(dataDir, at, error);
    throw error;
  }
};

const recordFailure = (dataDir: string, at: string, error: unknown): Promise<void> =>
  recordResult(dataDir, { failure: { at, error: describeFailure(error).split('\n')[0]! } });

/** The other stores refer to positions in the log, so the log must be copied after them. */
const copyToBackup = async (
  { dataDir, folder, withReadModels }: BackupOptions,
  endpoints: Endpoints,
  target: Target,
): Promise<BackupSummary> => {
  const secrets = await loadSecrets(dataDir);
  const createdAt = new Date().toISOString();
  const files = new Map<string, BackedUpFile>();
  const add = async (path: string, content: Readable): Promise<void> => {
    files.set(path, { path, ...(await writeNewFile(join(folder, path), content)) });
  };

  const url = `postgresql://popsvc:${encodeURIComponent(secrets.postgres)}@${endpoints.postgres}/popsvc`;
  let frozen: FrozenReadModels | undefined;
  const freeze = async () => {
    const writer = openClickHouseWriter({
      url: endpoints.clickhouse,
      username: 'popsvc_writer',
      password: secrets.clickhouseWriter,
    });
    try {
      frozen = await freezeReadModels(writer, join(dataDir, 'clickhouse'));
    } finally {
      await writer.close();
    }
  };
  let database: DatabaseCopy | undefined;
  try {
    database = await openDatabaseCopy(url, withReadModels ? freeze : undefined);
    target.isWriting = true;
    if (frozen) await copyReadModels(frozen, add);
    for (const table of database.layout.tables) await add(rowsPath(table.name), database.readRows(table));
  } finally {
    try {
      await frozen?.release();
    } finally {
      await database?.close();
    }
  }

  const copyUploads = async () => {
    const found = (await listFolder(join(dataDir, 'uploads'))).filter((path) => !path.startsWith(incompleteUploads));
    const added = found.filter((path) => !files.has(`uploads/${path}`));
    await pMap(added, (path) => addUnlessRemoved(`uploads/${path}`, join(dataDir, 'uploads', path), add), {
      concurrency,
    });
  };
  await copyUploads();
  for (const name of singleFiles) await addUnlessRemoved(name, join(dataDir, name), add);
  const log = await planLogCopy(join(dataDir, 'event-store'));
  await pMap(
    log.files,
    (file) =>
      add(
        `event-store/${file.name}`,
        'content' in file ? Readable.from([file.content]) : openFile(file.path, file.bytes),
      ),
    { concurrency },
  );
  // The copied log may contain bulk jobs whose files were uploaded after the first copy of the uploads.
  await copyUploads();

  const listed = [...files.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const manifest: BackupManifest = {
    format: backupFormat,
    release: popsvcVersion,
    data_format: dataFormat,
    created_at: createdAt,
    read_models: withReadModels,
    log_end: log.end,
    database: database.layout,
    checkpoints: [...database.checkpoints],
    links: (frozen?.links ?? []).map(({ path, target }) => ({ path: `clickhouse/data/${path}`, target })),
    files: listed,
  };
  // The manifest marks the backup as complete, so all other files must be on disk before it.
  await syncDirectoryTree(folder);
  await writeManifest(folder, manifest);
  return summarizeBackup(folder, manifest);
};

export const summarizeBackup = (
  folder: string,
  { created_at, read_models, log_end, files }: BackupManifest,
): BackupSummary => ({
  folder,
  created_at,
  read_models,
  log_end,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
});

type AddFile = (path: string, content: Readable) => Promise<void>;

/** The service removes an uploaded file when its bulk job ends. */
const addUnlessRemoved = async (path: string, from: string, add: AddFile): Promise<void> => {
  await add(path, openFile(from)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
};

const copyReadModels = async (frozen: FrozenReadModels, add: AddFile): Promise<void> => {
  for (const [path, content] of frozen.definitions) await add(`clickhouse/data/${path}`, Readable.from([content]));
  const parts = await frozen.listParts();
  await pMap(parts, ({ path, from }) => add(`clickhouse/data/${path}`, openFile(from)), { concurrency }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new OperatorError('ClickHouse was restarted during the backup: create the backup again');
    },
  );
};
