import { createHash } from 'node:crypto';
import { generationTable, tablesReadBy, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { LeaseKey } from '@popsvc/platform/postgres';
import { damagedCause, damagedRangesView, pendingView } from '../pending/pending.table.ts';
import { progress } from '../declarations/progress.table.ts';
import { damagedTables } from './damage.ts';
import { dictionaries } from '../registry/dictionaries.ts';
import type { Generation, ProjectionDeclaration } from './generations.ts';

const tablesSql = 'SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = currentDatabase()';

/**
 * Returns one id for each generation, derived from the UUIDs of its tables. The generation number does not identify the tables:
 * after PostgreSQL is restored from a backup, another generation may get the same number.
 */
const tableSetIds = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<readonly string[]> => {
  const rows = await writer.rows<{ name: string; uuid: string }>(tablesSql);
  const uuids = new Map(rows.map(({ name, uuid }) => [name, uuid]));
  return live.map(({ projection, generation }) => {
    const all = projection.tables.map((table) => uuids.get(generationTable(table, generation)) ?? '');
    return createHash('sha256').update(all.join()).digest('hex').slice(0, 16);
  });
};

const arrayLiteral = (texts: readonly string[]) => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

/**
 * Creates the views that contain the position of each live generation with the id of its tables, the networks that have pending
 * ranges, and the time ranges whose rows were lost. A damaged range does not affect the time up to which others are derived.
 */
export const pointProgressView = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  const which = live.map(({ projection, generation }) => `('${projection.name}', ${generation})`).join(', ');
  const names = arrayLiteral(live.map(({ projection }) => projection.name));
  const ids = arrayLiteral(await tableSetIds(writer, live));
  await writer.run(`CREATE OR REPLACE VIEW progress_live AS
    SELECT projection, generation, max(pos) AS pos, max(as_of) AS as_of,
      transform(toString(projection), ${names}, ${ids}, '') AS tables_id
    FROM ${generationTable(progress, 1)}
    WHERE (projection, generation) IN (${which}) GROUP BY projection, generation`);
  const noNetworks = `SELECT '' AS projection, toUInt64(0) AS network_id, now64(3, 'UTC') AS as_of, toUInt64(0) AS ranges WHERE 0`;
  const pending = live.flatMap(({ projection: { name, derived }, generation }) =>
    derived
      ? `SELECT '${name}' AS projection, network_id, min(as_of) AS as_of, count() AS ranges
         FROM ${generationTable(derived.pending, generation)} FINAL WHERE cause != '${damagedCause}' GROUP BY network_id`
      : [],
  );
  const noRanges = `SELECT '' AS name, toUInt64(0) AS network_id, now64(3, 'UTC') AS from_at, now64(3, 'UTC') AS to_at WHERE 0`;
  const ranges = live.flatMap(({ projection, generation }) => {
    const { derived } = projection;
    return derived
      ? `SELECT arrayJoin(${arrayLiteral(withViews(projection, [derived.table.name]))}) AS name, network_id, from_at, to_at
         FROM ${generationTable(derived.pending, generation)} FINAL WHERE cause = '${damagedCause}'`
      : [];
  });
  await writer.run(
    `CREATE OR REPLACE VIEW ${pendingView.name}_live AS ${[noNetworks, ...pending].join(' UNION ALL ')}`,
  );
  await writer.run(
    `CREATE OR REPLACE VIEW ${damagedRangesView.name}_live AS ${[noRanges, ...ranges].join(' UNION ALL ')}`,
  );
};

/** Why readers must not use a table: an upgrade added it, or it is damaged. */
export type UnreadableReason = 'upgrade' | 'damage';

/** Returns the names of tables and of the views that read them. */
const withViews = ({ views = [] }: ProjectionDeclaration, tables: readonly string[]): readonly string[] => [
  ...tables,
  ...views.filter((view) => tablesReadBy(view).some(({ name }) => tables.includes(name))).map(({ name }) => name),
];

/**
 * Lists tables of a live generation and the views that read them, with the reason why readers must not use them. Without its
 * pending ranges, a derived table may lack rows that will never be derived.
 */
const relationsOf = ({ projection }: Generation, listed: readonly string[], reason: UnreadableReason) => {
  const { derived } = projection;
  const tables = derived && listed.includes(derived.pending.name) ? [...listed, derived.table.name] : listed;
  return withViews(projection, tables).map((name) => ({ name, reason }));
};

/** The tables in which queries look up names. They use dictionaries for that, so they do not name these tables. */
const namingTables: ReadonlySet<string> = new Set(dictionaries.map(({ source }) => source));

/**
 * Creates the view that lists the tables and views that readers must not use, because rows are missing: those that an upgrade
 * added, and damaged ones. While a table with names is damaged, these are all tables and views.
 */
export const pointIncompleteView = (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  const listed = live.flatMap((which) => [
    ...relationsOf(which, which.incompleteTables ?? [], 'upgrade'),
    ...relationsOf(which, damagedTables(which.damage ?? []), 'damage'),
  ]);
  const lacksNames = listed.some(({ name, reason }) => reason === 'damage' && namingTables.has(name));
  const all = live.flatMap((which) =>
    relationsOf(
      which,
      which.projection.tables.map(({ name }) => name),
      'damage',
    ),
  );
  const pairs = (lacksNames ? all : listed).map(({ name, reason }) => `('${name}', '${reason}')`).join(', ');
  return writer.run(`CREATE OR REPLACE VIEW incomplete_live AS
    SELECT each.1 AS name, each.2 AS reason
    FROM (SELECT arrayJoin(CAST([${pairs}], 'Array(Tuple(String, String))')) AS each)`);
};

interface Pruning {
  /** How long the progress of a batch is kept, in ms, measured from the newest batch of its generation. */
  readonly keepMs: number;
  /**
   * Old rows are deleted only when a generation has more than this many of them. Deleting fewer is not worthwhile, because the
   * mutation also rewrites the remaining rows.
   */
  readonly minRows: number;
}

/**
 * After PostgreSQL is restored from a backup, a projection needs the rows of all batches since the backup. Rows are kept for
 * seven days, because a backup is usually more recent than that. After a restart of ClickHouse, a projection needs only the rows
 * of the last minute.
 */
const defaultPruning: Pruning = { keepMs: 7 * 24 * 3_600_000, minRows: 100_000 };

const progressTable = generationTable(progress, 1);

/**
 * Selects, for each generation, the progress rows to delete. Ages are relative to the newest batch of the generation, so a paused
 * generation keeps its rows.
 */
const oldSql = `
  SELECT projection, generation, toString(max(pos)) AS last, toString(any(until_ms)) AS until
  FROM ${progressTable}
  INNER JOIN (
    SELECT projection, generation, toUnixTimestamp64Milli(max(written_at)) - {keepMs:Int64} AS until_ms
    FROM ${progressTable} GROUP BY projection, generation
  ) AS newest USING (projection, generation)
  WHERE toUnixTimestamp64Milli(written_at) <= until_ms
  GROUP BY projection, generation HAVING count() > {minRows:UInt64}`;

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
 * Deletes the progress rows of all old batches except the newest one. The projection may have to resume after that batch. Earlier
 * rows would be needed only to complete a partly written batch, but all old batches are complete.
 */
export const pruneProgress = async (
  writer: ClickHouseWriter,
  { keepMs, minRows }: Pruning = defaultPruning,
): Promise<void> => {
  const old = await writer.rows<PrunableRange>(oldSql, { params: { keepMs, minRows } });
  for (const each of old) await writer.run(dropRangeSql, { params: { ...each } });
};

/** Finished ranges are deleted only when there are more than this many. */
const minFinishedRanges = 10_000;

/**
 * Deletes ranges that were derived more than a day ago, of networks without pending ranges. Rows that a batch adds meanwhile are
 * younger and stay.
 */
export const prunePendingRanges = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  for (const { projection, generation } of live) {
    if (!projection.derived) continue;
    const table = generationTable(projection.derived.pending, generation);
    const isFinished = `written_at < now() - INTERVAL 1 DAY AND network_id NOT IN (SELECT network_id FROM ${table} FINAL)`;
    const [found] = await writer.rows<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE ${isFinished}`);
    if (Number(found?.rows) >= minFinishedRanges)
      await writer.run(`ALTER TABLE ${table} DELETE WHERE ${isFinished} SETTINGS mutations_sync = 1`);
  }
};

/** Deletes the progress of a generation whose tables were dropped or recreated. */
export const dropGenerationProgress = (writer: ClickHouseWriter, { projection, generation }: LeaseKey): Promise<void> =>
  writer.run(
    `ALTER TABLE ${progressTable} DELETE
     WHERE projection = {projection:String} AND generation = {generation:UInt32} SETTINGS mutations_sync = 1`,
    { params: { projection, generation } },
  );
