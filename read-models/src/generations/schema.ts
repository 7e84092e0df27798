import { setTimeout as sleep } from 'node:timers/promises';
import { nameWithoutShard } from '@popsvc/domain/partitioning';
import {
  addColumns,
  columnsOf,
  createLiveView,
  createTable,
  createView,
  generationTable,
  runOnEachServer,
  type TableDefinition,
  type ClickHouseWriter,
} from '@popsvc/platform/clickhouse';
import { createDictionary, dictionaries, reloadDictionaries } from '../registry/dictionaries.ts';
import { reportHistory } from '../declarations/report-history.table.ts';
import { progressOf, progressTable } from '../declarations/progress.table.ts';
import { createVerifiedRuns, verifiedRuns } from '../declarations/verified-runs.ts';
import { resetProgressOfLostTables } from './incomplete-tables.ts';
import { dropOtherRelations } from './definitions.ts';
import { projectionNames } from '../declarations/projection-names.ts';
import { type Generation, incompleteListWaitMs } from './generations.ts';
import { pointAnalystRowsAt } from './analyst-views.ts';
import { pointIncompleteView, pointProgressView } from './progress.ts';
import { ensureTimeZones, timeZoneDictionary } from '../time-zones/time-zones.ts';
import { createHistory, recordLiveGeneration } from './report-history.ts';
import { syncSchema, syncTables } from './replicas.ts';
import { createShardViews } from './shard-views.ts';
import { physicalTables } from './table-parts.ts';

export const readRelations = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const found = await writer.rows<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  );
  return new Set(found.map(({ name }) => name));
};

const columnsSql = `SELECT table, name FROM system.columns
  WHERE database = currentDatabase() AND table IN {tables:Array(String)}`;

const missingColumns = async (writer: ClickHouseWriter, tables: readonly TableDefinition[], generation: number) => {
  const params = { tables: tables.map((table) => generationTable(table, generation)) };
  const rows = await writer.rows<{ table: string; name: string }>(columnsSql, { params });
  const there = new Set(rows.map(({ table, name }) => `${table}.${name}`));
  return tables.map((table) => ({
    table,
    missing: Object.keys(columnsOf(table)).filter(
      (column) => !there.has(`${generationTable(table, generation)}.${column}`),
    ),
  }));
};

/**
 * Adds new columns to existing tables; any other change needs a new generation. A table in `verified` that was dropped since must not
 * become an empty one, which would count as complete.
 */
export const createGenerationTables = async (
  writer: ClickHouseWriter,
  which: Generation,
  verified: ReadonlySet<string> = new Set(),
): Promise<void> => {
  const { projection, generation } = which;
  // Views can be created only over existing tables. The damage is recorded before, so no reader takes the empty tables for complete ones.
  if (which.damage?.length) await dropOtherRelations(writer, 'table', physicalTables(which));
  else await resetProgressOfLostTables(writer, which);
  await createHistory(writer, which, await readRelations(writer));
  for (const table of projection.tables)
    if (which.damage?.length || !verified.has(generationTable(table, generation)))
      await writer.run(createTable(table, generation, writer));
  for (const { table, missing } of await missingColumns(writer, projection.tables, generation))
    if (missing.length > 0) await writer.run(addColumns(table, generation, missing));
};

const readAnswering = async (writer: ClickHouseWriter): Promise<ReadonlySet<string>> => {
  const rows = await writer.rows<{ projection: string }>(
    `SELECT DISTINCT projection FROM ${generationTable(reportHistory, 1)} WHERE kind = 'live'`,
  );
  return new Set(rows.map(({ projection }) => projection));
};

/** The statements run concurrently, because a replay may pause the projection until the views exist. */
const pointViews = async (writer: ClickHouseWriter, { projection, generation }: Generation): Promise<void> => {
  const views = [
    ...projection.tables.map((table) => createLiveView(table, generation)),
    ...(projection.views ?? []).map((view) => createView(view, generation)),
  ];
  await Promise.all(views.map((view) => writer.run(view)));
};

/** `live`: the live generations of all projections, including `which`. `former`: the generations that were live before. */
export const pointReadersAt = async (
  writer: ClickHouseWriter,
  which: Generation,
  { live, former = [] }: { readonly live: readonly Generation[]; readonly former?: readonly Generation[] },
): Promise<void> => {
  // Readers must find each incomplete table in the list: tables are listed before the switch, and removed after it.
  const isPartlyUnreadable = (which.incompleteTables?.length ?? 0) + (which.damage?.length ?? 0) > 0;
  if (isPartlyUnreadable) {
    await pointIncompleteView(writer, live, former);
    await sleep(incompleteListWaitMs);
  }
  await pointViews(writer, which);
  // Dictionaries read the registry's views only when they are reloaded.
  if (nameWithoutShard(which.projection.name) === 'registry')
    await reloadDictionaries((query) => runOnEachServer(writer, query));
  // One of these views switches the readers of physical tables (`liveGenerationsView`).
  await pointProgressView(writer, live);
  if (!isPartlyUnreadable) await pointIncompleteView(writer, live, former);
  // Not fatal: `runAnalystViewRepair` creates these views later, and logs the failure if it persists.
  await pointAnalystRowsAt(writer, which).catch(() => undefined);
};

export const createDatabaseAndProgress = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.createDatabase();
  // A replica that is behind refuses schema changes.
  await syncSchema(writer);
  const common = [...projectionNames.map(progressOf), reportHistory];
  await Promise.all(common.map((table) => writer.run(createTable(table, 1, writer))));
  await syncTables(writer, projectionNames.map(progressTable));
  await dropOtherRelations(writer, 'memory', [verifiedRuns]);
  await writer.run(createVerifiedRuns);
  await dropOtherRelations(writer, 'dictionary', [timeZoneDictionary]);
  await ensureTimeZones(writer);
};

interface SchemaOptions {
  readonly kept?: readonly Generation[];
  /** Live generations that a newer version of their projection built. */
  readonly others?: readonly Generation[];
  /** Tables that exist and were verified. */
  readonly verified?: ReadonlySet<string>;
}

/** May be repeated. The progress tables must exist. */
export const createSchema = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
  { kept = [], others = [], verified }: SchemaOptions = {},
): Promise<void> => {
  const views = live.flatMap(({ projection: { tables, views = [] } }) => [...tables, ...views]);
  await dropOtherRelations(
    writer,
    'view',
    views.map(({ name }) => `${name}_live`),
  );
  await dropOtherRelations(
    writer,
    'dictionary',
    dictionaries.map(({ name }) => name),
  );
  await pointIncompleteView(writer, [...live, ...others], kept);
  for (const each of [...live, ...kept]) await createGenerationTables(writer, each, verified);
  for (const each of live) await pointViews(writer, each);
  const answering = await readAnswering(writer);
  for (const each of live)
    if (!answering.has(nameWithoutShard(each.projection.name))) await recordLiveGeneration(writer, each);
  await pointProgressView(writer, [...live, ...others]);
  for (const dictionary of dictionaries) await writer.run(createDictionary(dictionary, writer));
  await createShardViews(writer, live);
};

/** May be repeated. */
export const ensureSchema = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  await createDatabaseAndProgress(writer);
  await createSchema(writer, live);
};

/** Running queries can finish, because ClickHouse drops the tables without SYNC. */
export const dropGenerationTables = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  for (const table of projection.tables) await writer.run(`DROP TABLE IF EXISTS ${generationTable(table, generation)}`);
};
