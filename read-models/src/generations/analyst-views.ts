import { setTimeout as sleep } from 'node:timers/promises';
import { createTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { analystViews, isReadByAnalysts } from '../analysts/analyst-ddl.ts';
import { createAnalystView, createOwnRowsOfTable, createOwnRowsOfView } from '../analysts/analyst-ddl.ts';
import { analystsDatabase } from '../analysts/analyst-view.ts';
import { analystGrants } from '../analysts/analyst-ddl.ts';
import { findGenerations, type Generation, type ProjectionDeclaration, withReaderLock } from './generations.ts';

/** Readers may be waiting behind it, and nobody waits for analysts. */
const statementTimeout = { timeoutMs: 5_000 };

/** Points what analysts' views read at a generation: the same rows as other readers see, but for those of other networks. */
export const pointAnalystRowsAt = async (
  writer: ClickHouseWriter,
  { projection, generation }: Generation,
): Promise<void> => {
  const views = [
    ...projection.tables.filter(isReadByAnalysts).map((table) => createOwnRowsOfTable(table, generation)),
    ...(projection.views ?? []).filter(isReadByAnalysts).map((view) => createOwnRowsOfView(view, generation)),
  ];
  if (views.length === 0) return;
  await writer.run(createTable(analystGrants, 1), statementTimeout);
  await Promise.all(views.map((view) => writer.run(view, statementTimeout)));
};

const analystRowViewsSql = `SELECT name, create_table_query AS text FROM system.tables
  WHERE database = currentDatabase() AND endsWith(name, '_own')`;

/** Generations of which a view's text reads tables. */
const generationsIn = (text: string): readonly number[] =>
  [...text.matchAll(/\b(\w+)_g(\d+)\b/g)]
    .filter(([, table]) => table !== analystGrants.name)
    .map(([, , generation]) => Number(generation));

/** The live generations that analysts do not see, or not all of: a view is missing, or reads another one. */
export const findGenerationsHiddenFromAnalysts = async (
  writer: ClickHouseWriter,
  live: readonly Generation[],
): Promise<readonly Generation[]> => {
  const rows = await writer.rows<{ name: string; text: string }>(analystRowViewsSql, statementTimeout);
  const found = new Map(rows.map(({ name, text }) => [name, generationsIn(text)]));
  const isSeen = (name: string, generation: number) => {
    const read = found.get(`${name}_own`);
    return read !== undefined && read.length > 0 && read.every((each) => each === generation);
  };
  return live.filter(({ projection, generation }) =>
    [...projection.tables, ...(projection.views ?? [])]
      .filter(isReadByAnalysts)
      .some(({ name }) => !isSeen(name, generation)),
  );
};

/** The views that analysts ask, in a database of their own. They need what `pointOwnRows` makes. */
const createAnalystViews = async (writer: ClickHouseWriter): Promise<void> => {
  await writer.run(`CREATE DATABASE IF NOT EXISTS ${analystsDatabase(writer.database)}`);
  for (const view of analystViews) await writer.run(createAnalystView(view, writer.database));
};

/** All that analysts see; after the schema of all projections, safe to run at every start. */
export const ensureAnalystViews = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  for (const each of live) await pointAnalystRowsAt(writer, each);
  await createAnalystViews(writer);
};

const viewsSql = 'SELECT name FROM system.tables WHERE database = {database:String}';

/** The views of theirs that are not there. */
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

/**
 * Has analysts see what is live, where that is not so: a server may have refused when it was switched, or when the service was
 * started. Until then they see the generation before, of their own networks as ever. True: there was something to do.
 */
export const repairAnalystViews = async ({
  writer,
  postgres,
  projections,
}: AnalystViewDependencies): Promise<boolean> => {
  const look = async () => {
    const live = await findGenerations(postgres, projections, 'live', 'own');
    return {
      unseen: await findGenerationsHiddenFromAnalysts(writer, live),
      missing: await findMissingAnalystViews(writer),
    };
  };
  const before = await look();
  if (before.unseen.length === 0 && before.missing.length === 0) return false;
  await withReaderLock(postgres, async () => {
    const { unseen, missing } = await look();
    for (const each of unseen) await pointAnalystRowsAt(writer, each);
    if (missing.length > 0) await createAnalystViews(writer);
  });
  return true;
};

/** The same again and again; what is wrong is told once. */
export const runAnalystViewRepair = async (parts: AnalystViewDependencies, signal: AbortSignal): Promise<void> => {
  const { log } = parts;
  let failing = false;
  const isOver = () => sleep(repairIntervalMs, false, { signal }).catch(() => true);
  while (!(await isOver())) {
    try {
      if (await repairAnalystViews(parts)) log.info('analysts see again what is live');
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, 'analysts do not see all that is live; it is tried again');
      failing = true;
    }
  }
};
