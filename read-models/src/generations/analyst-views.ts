import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouseWriter, createTable, describeShard, generationTable } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import {
  analystGrants,
  analystViews,
  createAnalystView,
  createOwnRowsOfTable,
  createOwnRowsOfView,
  isReadByAnalysts,
  ownRowsViewsSql,
  showsGeneration,
} from '../analysts/analyst-ddl.ts';
import { analystsDatabase, analystsShardDatabase } from '../analysts/analyst-view.ts';
import { hasShardViews, showAllShards } from './shard-views.ts';
import { findGenerations, type Generation, type ProjectionDeclaration, withReaderLock } from './generations.ts';

/** Short, because a switch of readers to another generation may wait for the statement. */
const statementTimeout = { timeoutMs: 5_000 };

/** A table of an earlier release lacks the column `password_sha256`. */
const ensureGrantsTable = async (writer: ClickHouseWriter): Promise<void> => {
  const table = generationTable(analystGrants, 1);
  await writer.run(createTable(analystGrants, 1, writer), statementTimeout);
  const [column] = await writer.rows(
    "SELECT 1 FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND name = 'password_sha256'",
    { params: { table }, ...statementTimeout },
  );
  if (!column)
    await writer.run(
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS password_sha256 String AFTER user`,
      statementTimeout,
    );
};

export const pointAnalystRowsAt = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  const shown = { generation, shard: writer.shard };
  const views = [
    ...projection.tables.filter(isReadByAnalysts).map((table) => createOwnRowsOfTable(table, shown)),
    ...(projection.views ?? []).filter(isReadByAnalysts).map((view) => createOwnRowsOfView(view, shown)),
  ];
  if (views.length === 0) return;
  await ensureGrantsTable(writer);
  await Promise.all(views.map((view) => writer.run(view, statementTimeout)));
};

/** A generation is hidden if a view that shows only an analyst's networks is missing or reads another generation. */
export const findGenerationsHiddenFromAnalysts = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
): Promise<readonly Generation[]> => {
  const rows = await writer.rows<{ name: string; comment: string }>(ownRowsViewsSql, statementTimeout);
  const comments = new Map(rows.map(({ name, comment }) => [name, comment]));
  return live.filter(({ projection, generation }) =>
    [...projection.tables, ...(projection.views ?? [])]
      .filter(isReadByAnalysts)
      .some((relation) => !showsGeneration(comments, relation, generation)),
  );
};

/** With several shards, the views of a shard are in a second database, and analysts read tables that show the rows of all shards. */
const createAnalystViews = async (writer: ClickHouseWriter): Promise<void> => {
  const to = analystsDatabase(writer.database);
  const from = analystsShardDatabase(writer.database, writer.shard);
  for (const database of new Set([from, to])) await writer.createDatabase(database);
  for (const view of analystViews) await writer.run(createAnalystView(view, writer));
  if (hasShardViews(writer))
    for (const { name: relation, about } of analystViews)
      await writer.run(showAllShards(writer, { from, to, relation, about }));
};

/** May be repeated. The tables of all projections must exist. */
export const ensureAnalystViews = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  for (const each of live) await pointAnalystRowsAt(writer, each);
  await createAnalystViews(writer);
};

const viewsSql = 'SELECT name FROM system.tables WHERE database = {database:String}';

export const findMissingAnalystViews = async (writer: ClickHouseWriter): Promise<readonly string[]> => {
  const params = { database: analystsDatabase(writer.database) };
  const rows = await writer.rows<{ name: string }>(viewsSql, { params, timeoutMs: 5_000 });
  const there = new Set(rows.map(({ name }) => name));
  return analystViews.map(({ name }) => name).filter((name) => !there.has(name));
};

interface AnalystViewDependencies {
  readonly writer: ClickHouseWriter;
  readonly postgres: Postgres;
  readonly projections: readonly ProjectionDeclaration[];
  readonly log: Log;
}

const repairIntervalMs = 30_000;

/** A view may be missing or old if ClickHouse rejected a statement. Returns false if no view needed repair. */
export const repairAnalystViews = async ({
  writer,
  postgres,
  projections,
}: AnalystViewDependencies): Promise<boolean> => {
  const findProblems = async () => {
    const live = await findGenerations(postgres, projections, 'live', 'own');
    return {
      unseen: await findGenerationsHiddenFromAnalysts(writer, live),
      missing: await findMissingAnalystViews(writer),
    };
  };
  const before = await findProblems();
  if (before.unseen.length === 0 && before.missing.length === 0) return false;
  await withReaderLock(postgres, writer.shard, async () => {
    const { unseen, missing } = await findProblems();
    for (const each of unseen) await pointAnalystRowsAt(writer, each);
    if (missing.length > 0) await createAnalystViews(writer);
  });
  return true;
};

export const runAnalystViewRepair = async (
  dependencies: AnalystViewDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { log, writer } = dependencies;
  const shard = describeShard(writer.shard);
  let failing = false;
  const isOver = () => sleep(repairIntervalMs, false, { signal }).catch(() => true);
  while (!(await isOver())) {
    try {
      if (await repairAnalystViews(dependencies)) log.info({ shard }, 'analyst views repaired');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err, shard }, 'failed to repair analyst views; retrying');
      failing = true;
    }
  }
};
