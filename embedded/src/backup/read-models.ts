import { readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type ClickHouseWriter, withoutGeneration } from '@popsvc/platform/clickhouse';
import { allProjections } from '@popsvc/projectors/projections';
import { progressOf } from '@popsvc/read-models/tables';
import { dataPath, frozenPath, FROZEN } from '../clickhouse/engine-config.ts';

export interface FrozenReadModels {
  readonly definitions: ReadonlyMap<string, Buffer>;
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** `from` is the path of a frozen file, `path` its place in the data folder of ClickHouse, relative to this folder. */
  listParts(): Promise<readonly { readonly path: string; readonly from: string }[]>;
  release(): Promise<void>;
}

/** A projector writes the progress of a batch last. The progress is frozen first, so it never covers rows that the backup lacks. */
const freezingOrder: readonly ReadonlySet<string>[] = [
  new Set(allProjections.map(({ name }) => progressOf(name).name)),
  new Set(allProjections.flatMap(({ derived }) => (derived ? [derived.pending.name] : []))),
  new Set(allProjections.flatMap(({ derived }) => (derived ? [derived.table.name] : []))),
];

const rankOf = (table: string): number => {
  const name = withoutGeneration(table);
  const rank = freezingOrder.findIndex((names) => names.has(name));
  return rank === -1 ? freezingOrder.length : rank;
};

interface StoredTable {
  readonly name: string;
  readonly path: string;
}

const tablesSql = `SELECT name, data_paths[1] AS path FROM system.tables
  WHERE database = currentDatabase() AND engine LIKE '%MergeTree' ORDER BY name`;

const listFiles = async (dir: string): Promise<readonly string[]> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const isTableFile = (name: string): boolean => name === 'format_version.txt' || /^mutation_\d+\.txt$/.test(name);

/** If the disk is full during a freeze, ClickHouse leaves its counter empty, and then refuses every later freeze. */
const removeEmptyCounter = async (dir: string): Promise<void> => {
  const path = join(dirname(frozenPath(dir)), 'increment.txt');
  const counter = await stat(path).catch(() => undefined);
  if (counter?.size === 0) await rm(path);
};

/** ClickHouse freezes a table by hard links. The caller must prevent projectors from beginning or ending a batch meanwhile. */
export const freezeReadModels = async (writer: ClickHouseWriter, dir: string): Promise<FrozenReadModels> => {
  const data = dataPath(dir);
  const frozen = frozenPath(dir);
  const release = () => rm(frozen, { recursive: true, force: true });
  await release();
  await removeEmptyCounter(dir);
  const definitions = new Map<string, Buffer>();
  const read = async (path: string) => void definitions.set(relative(data, path), await readFile(path));
  const links: { path: string; target: string }[] = [];

  const metadata = join(data, 'metadata');
  for (const entry of await readdir(metadata, { withFileTypes: true })) {
    const path = join(metadata, entry.name);
    if (entry.isFile()) await read(path);
    if (!entry.isSymbolicLink()) continue;
    links.push({ path: relative(data, path), target: await readlink(path) });
    for (const name of await readdir(path))
      if (name.endsWith('.sql')) await read(join(metadata, await readlink(path), name));
  }
  const tables = await writer.rows<StoredTable>(tablesSql);
  try {
    for (const { name, path } of tables.toSorted((a, b) => rankOf(a.name) - rankOf(b.name))) {
      await writer.run(`ALTER TABLE ${name} FREEZE WITH NAME '${FROZEN}'`);
      for (const file of await readdir(path)) if (isTableFile(file)) await read(join(path, file));
    }
  } catch (error) {
    await release();
    throw error;
  }
  return {
    definitions,
    links,
    listParts: async () =>
      (await listFiles(frozen)).map((from) => ({ from, path: relative(frozen, from).split(sep).join('/') })),
    release,
  };
};
