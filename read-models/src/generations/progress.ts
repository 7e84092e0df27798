import { createHash } from 'node:crypto';
import { onlyShard, nameWithoutShard } from '@popsvc/domain/partitioning';
import { generationTable, tablesReadBy, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { GenerationKey } from '@popsvc/platform/postgres';
import { damagedCause, damagedRangesView, pendingView } from '../pending/pending.table.ts';
import { liveGenerationsView, progressTable, progressView } from '../declarations/progress.table.ts';
import { damagedTables } from './damage.ts';
import { dictionaries } from '../registry/dictionaries.ts';
import type { Generation, ProjectionDeclaration } from './generations.ts';

const tablesSql = 'SELECT name, toString(uuid) AS uuid FROM system.tables WHERE database = currentDatabase()';

/**
 * A generation number does not identify the tables: after PostgreSQL is restored from a backup, another generation may get the same number.
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

interface IdentifiedGeneration extends Generation {
  readonly tablesId: string;
}

const createLiveGenerations = (live: readonly IdentifiedGeneration[]): string => {
  const tuples = live.map(
    ({ projection: { name, shard = onlyShard }, generation, tablesId, partitions = 1 }) =>
      `('${nameWithoutShard(name)}', ${generation}, '${tablesId}', ${shard.of}, ${partitions})`,
  );
  return `CREATE OR REPLACE VIEW ${liveGenerationsView.name}_live AS
    SELECT each.1 AS projection, each.2 AS generation, each.3 AS tables_id, each.4 AS shards, each.5 AS partitions
    FROM (SELECT arrayJoin(CAST([${tuples.join(', ')}], 'Array(Tuple(String, UInt32, String, UInt8, UInt8))')) AS each)`;
};

/** ClickHouse merges rows later, so earlier batches may be among the rows. */
const selectBatches = ({ projection: { name }, generation, tablesId, partitions = 1 }: IdentifiedGeneration): string =>
  `SELECT '${nameWithoutShard(name)}' AS projection, '${tablesId}' AS tables_id, generation, partitions, partition, pos, changed_pos, as_of
   FROM ${progressTable(name)} WHERE generation = ${generation} AND partitions = ${partitions}`;

/**
 * The position is 0 while a partition has written nothing. One aggregation serves all generations, because planning it costs ClickHouse
 * more than the few rows.
 */
const selectPositions = (batches: readonly string[]): string =>
  `SELECT projection, generation, if(isWhole, lowest, 0) AS pos, changed AS changed_pos,
     if(isWhole, oldest, toDateTime64(0, 3, 'UTC')) AS as_of, tables_id
   FROM (SELECT projection, generation, tables_id, count() = any(partitions) AS isWhole, min(reached) AS lowest,
       max(changed) AS changed, min(newest) AS oldest
     FROM (SELECT projection, generation, tables_id, partitions, partition, max(pos) AS reached, max(changed_pos) AS changed,
         max(as_of) AS newest
       FROM (${batches.join(' UNION ALL ')}) GROUP BY projection, generation, tables_id, partitions, partition)
     GROUP BY projection, generation, tables_id)`;

/** Damaged ranges have a view of their own, because they do not affect the time up to which other rows are derived. */
export const pointProgressView = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  const ids = await tableSetIds(writer, live);
  const noBatches = `SELECT '' AS projection, '' AS tables_id, toUInt32(0) AS generation, toUInt8(0) AS partitions, toUInt8(0) AS partition,
    toUInt64(0) AS pos, toUInt64(0) AS changed_pos, toDateTime64(0, 3, 'UTC') AS as_of WHERE 0`;
  const identified = live.map((each, index) => ({ ...each, tablesId: ids[index]! }));
  await writer.run(createLiveGenerations(identified));
  const batches = identified.map(selectBatches);
  await writer.run(`CREATE OR REPLACE VIEW ${progressView.name}_live AS ${selectPositions([noBatches, ...batches])}`);
  const noNetworks = `SELECT '' AS projection, toUInt64(0) AS network_id, toUInt64(0) AS last_network, toUInt8(0) AS partitions, toUInt8(0) AS shards,
    now64(3, 'UTC') AS as_of WHERE 0`;
  const pending = live.flatMap(({ projection: { name, derived, shard = onlyShard }, generation, partitions = 1 }) =>
    derived
      ? `SELECT '${nameWithoutShard(name)}' AS projection, network_id, greatest(network_id, last_network) AS last_network,
           toUInt8(${partitions}) AS partitions, toUInt8(${shard.of}) AS shards, as_of
         FROM ${generationTable(derived.pending, generation)} FINAL WHERE cause != '${damagedCause}'`
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
    `CREATE OR REPLACE VIEW ${pendingView.name}_live AS
     SELECT projection, network_id, last_network, partitions, shards, min(as_of) AS as_of, count() AS ranges
     FROM (${[noNetworks, ...pending].join(' UNION ALL ')}) GROUP BY projection, network_id, last_network, partitions, shards`,
  );
  await writer.run(
    `CREATE OR REPLACE VIEW ${damagedRangesView.name}_live AS ${[noRanges, ...ranges].join(' UNION ALL ')}`,
  );
};

export type UnreadableReason = 'upgrade' | 'damage';

const withViews = ({ views = [] }: ProjectionDeclaration, tables: readonly string[]): readonly string[] => [
  ...tables,
  ...views.filter((view) => tablesReadBy(view).some(({ name }) => tables.includes(name))).map(({ name }) => name),
];

/** The derived table may lack rows if its table of pending ranges is unreadable, so both count as unreadable. */
const relationsOf = ({ projection }: Generation, listed: readonly string[], reason: UnreadableReason) => {
  const { derived } = projection;
  const tables = derived && listed.includes(derived.pending.name) ? [...listed, derived.table.name] : listed;
  return withViews(projection, tables).map((name) => ({ name, reason }));
};

/** Queries read these tables through dictionaries, so no query names them. */
const namingTables: ReadonlySet<string> = new Set(dictionaries.map(({ source }) => source));

const unreadableOf = (which: Generation) => [
  ...relationsOf(which, which.incompleteTables ?? [], 'upgrade'),
  ...relationsOf(which, damagedTables(which.damage ?? []), 'damage'),
];

/**
 * While one of `namingTables` is damaged, lists every table and view of `live`. Lists `former` by physical tables, because a request that
 * began before a switch may still read them.
 */
export const pointIncompleteView = (
  writer: ClickHouseWriter,
  live: readonly Generation[],
  former: readonly Generation[],
): Promise<void> => {
  const listed = live.flatMap(unreadableOf);
  const physical = former.flatMap((which) =>
    unreadableOf(which).map(({ name, reason }) => ({ name: generationTable({ name }, which.generation), reason })),
  );
  const lacksNames = listed.some(({ name, reason }) => reason === 'damage' && namingTables.has(name));
  const all = live.flatMap((which) =>
    relationsOf(
      which,
      which.projection.tables.map(({ name }) => name),
      'damage',
    ),
  );
  const pairs = [...(lacksNames ? all : listed), ...physical]
    .map(({ name, reason }) => `('${name}', '${reason}')`)
    .join(', ');
  return writer.run(`CREATE OR REPLACE VIEW incomplete_live AS
    SELECT each.1 AS name, each.2 AS reason
    FROM (SELECT arrayJoin(CAST([${pairs}], 'Array(Tuple(String, String))')) AS each)`);
};

const minFinishedRanges = 10_000;

/** Deletes rows that were written more than a day ago, if there are many. Keeps those of each `network_id` that begins a pending range. */
export const prunePendingRanges = async (writer: ClickHouseWriter, live: readonly Generation[]): Promise<void> => {
  for (const { projection, generation } of live) {
    if (!projection.derived) continue;
    const table = generationTable(projection.derived.pending, generation);
    const isFinished = `written_at < now() - INTERVAL 1 DAY AND network_id NOT IN (SELECT network_id FROM ${table} FINAL)`;
    const [found] = await writer.rows<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE ${isFinished}`);
    if (Number(found?.rows) >= minFinishedRanges) await writer.run(`ALTER TABLE ${table} DELETE WHERE ${isFinished}`);
  }
};

/** Other replicas delete the rows later (see `syncDeletions`). */
export const dropGenerationProgress = (
  writer: ClickHouseWriter,
  { projection, generation }: GenerationKey,
): Promise<void> =>
  writer.run(`ALTER TABLE ${progressTable(projection)} DELETE WHERE generation = {generation:UInt32}`, {
    params: { generation },
  });
