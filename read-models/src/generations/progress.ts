import { createHash } from 'node:crypto';
import { createView, generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { LeaseKey } from '@popsvc/platform/postgres';
import { progress } from '../declarations/progress.table.ts';
import type { Generation } from './generations.ts';

const tablesSql = 'SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = currentDatabase()';

/** What the tables of a generation are called that no others ever will be: its number may come again after a restore. */
const tableSetIds = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<readonly string[]> => {
  const rows = await writer.rows<{ name: string; uuid: string }>(tablesSql);
  const uuids = new Map(rows.map(({ name, uuid }) => [name, uuid]));
  return live.map(({ projection, generation }) => {
    const all = projection.tables.map((table) => uuids.get(generationTable(table, generation)) ?? '');
    return createHash('sha256').update(all.join()).digest('hex').slice(0, 16);
  });
};

const arrayLiteral = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/** How far each live generation is projected, for the readers, and which tables it is made of. */
export const pointProgressView = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  const which = live.map(({ projection, generation }) => `('${projection.name}', ${generation})`).join(', ');
  const names = arrayLiteral(live.map(({ projection }) => projection.name));
  const ids = arrayLiteral(await tableSetIds(writer, live));
  await writer.run(`CREATE OR REPLACE VIEW progress_live AS
    SELECT projection, generation, max(pos) AS pos, max(as_of) AS as_of,
      transform(toString(projection), ${names}, ${ids}, '') AS tables_id
    FROM ${generationTable(progress, 1)}
    WHERE (projection, generation) IN (${which}) GROUP BY projection, generation`);
};

/** Of a live generation the tables that are newer than it, and the views over them. */
const incompleteRelations = ({
  projection,
  generation,
  incompleteTables: incompleteTables = [],
}: Generation): readonly string[] => {
  const tables = projection.tables
    .filter(({ name }) => incompleteTables.includes(name))
    .map((table) => generationTable(table, generation));
  const over = (projection.views ?? []).filter((view) =>
    tables.some((table) => createView(view, generation).includes(`\`${table}\``)),
  );
  return [...incompleteTables, ...over.map(({ name }) => name)];
};

/** What readers may not read yet, for the live generation has nothing in it from before it was made. */
export const pointIncompleteView = (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> =>
  writer.run(`CREATE OR REPLACE VIEW lacking_live AS
    SELECT arrayJoin(CAST(${arrayLiteral(live.flatMap(incompleteRelations))}, 'Array(String)')) AS name`);

interface Pruning {
  /** For how long before the newest batch of a generation each of its batches is kept. */
  readonly keptMs: number;
  /** As many rows at least are dropped at once: it writes what stays anew. */
  readonly fewest: number;
}

/** A copy of PostgreSQL that is restored is mostly younger; for ClickHouse that was restarted it takes a minute. */
const defaultPruning: Pruning = { keptMs: 7 * 24 * 3_600_000, fewest: 100_000 };

const progressTable = generationTable(progress, 1);

/** By the newest batch of the same generation: one that stands still grows no older. */
const oldSql = `
  SELECT projection, generation, toString(max(pos)) AS last, toString(any(until_ms)) AS until
  FROM ${progressTable}
  INNER JOIN (
    SELECT projection, generation, toUnixTimestamp64Milli(max(written_at)) - {keptMs:Int64} AS until_ms
    FROM ${progressTable} GROUP BY projection, generation
  ) AS newest USING (projection, generation)
  WHERE toUnixTimestamp64Milli(written_at) <= until_ms
  GROUP BY projection, generation HAVING count() > {fewest:UInt64}`;

interface PrunableRange {
  readonly projection: string;
  readonly generation: number;
  readonly last: string;
  readonly until: string;
}

const dropRangeSql = `
  ALTER TABLE ${progressTable} DELETE
  WHERE projection = {projection:String} AND generation = {generation:UInt32} AND pos < {last:UInt64}
  AND toUnixTimestamp64Milli(written_at) <= {until:Int64} SETTINGS mutations_sync = 1`;

/**
 * Drops what is told of batches that were written long ago, but for the last of them, so that from where to go on is found as
 * ever. Where batches ended is needed of those that may have been written in part; all that were told so long ago are whole, and
 * whoever goes on from further back is told where the newer ones ended.
 */
export const pruneProgress = async (
  writer: ClickHouseWriter,
  { keptMs, fewest }: Pruning = defaultPruning,
): Promise<void> => {
  const old = await writer.rows<PrunableRange>(oldSql, { params: { keptMs, fewest } });
  for (const each of old) await writer.run(dropRangeSql, { params: { ...each } });
};

/** Drops what is told of how far a generation was: its tables are gone, or made anew. */
export const dropGenerationProgress = (writer: ClickHouseWriter, { projection, generation }: LeaseKey): Promise<void> =>
  writer.run(
    `ALTER TABLE ${generationTable(progress, 1)} DELETE
       WHERE projection = {projection:String} AND generation = {generation:UInt32} SETTINGS mutations_sync = 1`,
    { params: { projection, generation } },
  );
