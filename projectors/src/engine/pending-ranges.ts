import { onlyShard, ownsNetwork, partitionIndexSql, type Shard, shardIndexSql } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { damagedCause, includesNetwork, replayCause, spanMs } from '@popsvc/read-models/tables';
import type { ProjectionGeneration, GenerationPartition } from './generation-partitions.ts';
import { isOwnNetwork, partitionParameters } from './own-networks.ts';
import {
  type BatchRange,
  type BatchSession,
  derivedTableOf,
  type NetworkRange,
  type Projection,
  type StaleWindow,
  type TemporaryTable,
} from './projection.ts';

const ofNetwork = 'network_id = {network:UInt64}';
/** `last_network` may be 0 if the range has one network. */
const lastNetwork = 'greatest(network_id, last_network)';

const rangeKey = 'network_id, screen_id, from_at, to_at, cause';

const tableOf = ({ projection, generation }: ProjectionGeneration): string =>
  generationTable(derivedTableOf(projection).pending, generation);

/** `damaged`: ranges whose rows were lost. `put-off`: all others. */
export type PendingKind = 'put-off' | 'damaged';

const isOfKind = (kind: PendingKind): string => `cause ${kind === 'damaged' ? '=' : '!='} '${damagedCause}'`;

export const readPendingNetworks = async (
  session: Pick<BatchSession, 'projection' | 'generation' | 'partition' | 'rows'>,
  kind: PendingKind,
): Promise<readonly number[]> => {
  const rows = await session.rows<{ network: number }>(
    `SELECT DISTINCT toFloat64(network_id) AS network FROM ${tableOf(session)} FINAL WHERE ${isOfKind(kind)} ORDER BY network_id`,
  );
  return rows.map(({ network }) => network).filter((network) => ownsNetwork(session.partition, network));
};

export const isFullyDerived = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  target: GenerationPartition,
): Promise<boolean> =>
  !target.projection.derived ||
  (
    await writer.rows(`SELECT 1 FROM ${tableOf(target)} FINAL WHERE ${isOwnNetwork} LIMIT 1`, {
      params: partitionParameters(target.partition),
    })
  ).length === 0;

/**
 * Makes ranges pending again that were derived within three minutes before the table was last written: a restart of ClickHouse may have
 * lost their rows. The version is at least the highest stored one, so that the new rows replace the stored ones.
 */
export const reviveLatestRanges = (
  session: Pick<BatchSession, 'projection' | 'generation' | 'partition' | 'run'>,
  reached: bigint,
): Promise<void> => {
  const table = tableOf(session);
  return session.run(
    `INSERT INTO ${table} SELECT * REPLACE(0 AS is_deleted, 1 AS slices, 0 AS next_slice,
       greatest(2 * {reached:UInt64} + 1, (SELECT max(version) FROM ${table} WHERE ${isOwnNetwork} AND ${isOfKind('put-off')})) AS version,
       now64(3) AS written_at)
     FROM ${table} AS r WHERE r.is_deleted = 1 AND ${isOfKind('put-off')} AND ${isOwnNetwork}
     AND r.written_at > (SELECT max(written_at) FROM ${table} WHERE ${isOwnNetwork}) - INTERVAL 3 MINUTE
     ORDER BY r.from_at LIMIT 1 BY r.network_id, r.screen_id, r.to_at, r.cause, r.pos`,
    { reached: reached.toString(), ...partitionParameters(session.partition) },
  );
};

/**
 * Divides ranges of several networks for a new number of partitions; may be repeated. Partitions depend on the last digit of a network, so
 * the first network of each new range is among ten consecutive ones.
 */
export const divideRanges = async (
  session: ProjectionGeneration & Pick<BatchSession, 'run'>,
  shard: Shard,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> => {
  const table = tableOf(session);
  const partitionOf = (network: string, partitions: string) =>
    partitionIndexSql(network, { partitions, shards: '{shards:UInt8}' });
  await session.run(
    `INSERT INTO ${table}
       (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, next_slice, written_at, version, is_deleted)
     WITH arrayFirst(n -> ${shardIndexSql('n', '{shards:UInt8}')} = {shard:UInt8} AND ${partitionOf('n', '{to:UInt8}')} = partition
         AND ${partitionOf('n', '{from:UInt8}')} = ${partitionOf('r.network_id', '{from:UInt8}')},
       range(r.network_id, r.network_id + 10)) AS first
     SELECT first, max(r.last_network), r.screen_id, r.from_at, r.to_at, r.cause, min(r.pos), min(r.as_of), 1, 0,
       max(r.written_at), max(r.version), min(r.is_deleted)
     FROM (SELECT * FROM ${table} WHERE last_network > network_id ORDER BY version DESC, written_at DESC LIMIT 1 BY ${rangeKey}) AS r
     ARRAY JOIN range({to:UInt8}) AS partition
     WHERE first >= r.network_id AND first <= r.last_network
     GROUP BY first, r.screen_id, r.from_at, r.to_at, r.cause
     HAVING countIf(first > r.network_id) > 0`,
    { from, to, shard: shard.index, shards: shard.of },
  );
};

export const firstSequenceOf = ({ after }: BatchRange): bigint => after + 1n;

/**
 * A range that is already pending keeps its `as_of` and the lower `pos`. `from`: a query with the columns network_id, screen_id, from_at,
 * to_at and cause.
 */
const addRanges = (session: BatchSession, from: string, range: BatchRange, params: object = {}): Promise<void> =>
  session.run(
    `INSERT INTO ${tableOf(session)}
       (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, next_slice, written_at, version, is_deleted)
     SELECT n.network_id AS network_id, n.network_id AS last_network, n.screen_id AS screen_id, n.from_at AS from_at, n.to_at AS to_at, n.cause AS cause,
       if(p.version > 0, least(p.pos, {first:UInt64}), {first:UInt64}) AS pos,
       if(p.version > 0, p.as_of, fromUnixTimestamp64Milli({asOfMs:Int64}, 'UTC')) AS as_of,
       1 AS slices, 0 AS next_slice, now64(3) AS written_at, 2 * {upTo:UInt64} AS version, 0 AS is_deleted
     FROM (${from}) AS n
     LEFT JOIN (SELECT * FROM ${tableOf(session)} FINAL) AS p
     ON n.network_id = p.network_id AND n.screen_id = p.screen_id AND n.from_at = p.from_at AND n.to_at = p.to_at
       AND n.cause = p.cause`,
    {
      ...params,
      first: firstSequenceOf(range).toString(),
      upTo: range.upTo.toString(),
      asOfMs: session.derivedAsOfMs,
    },
  );

export const putOffRanges = (session: BatchSession, range: BatchRange): Promise<void> =>
  addRanges(session, `SELECT DISTINCT network_id, screen_id, from_at, to_at, 'facts' AS cause FROM put_off`, range);

const causeOf = ({ reason, everything }: StaleWindow) => (everything ? 'thresholds' : reason);

export const putOffWindow = (session: BatchSession, range: BatchRange, window: StaleWindow): Promise<void> =>
  addRanges(
    session,
    `SELECT {network:UInt64} AS network_id, '' AS screen_id, fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AS from_at,
       fromUnixTimestamp64Milli({toMs:Int64}, 'UTC') AS to_at, {cause:String} AS cause`,
    range,
    { network: window.network, fromMs: window.fromMs, toMs: window.toMs, cause: causeOf(window) },
  );

interface StoredRange {
  readonly last: number;
  readonly screen: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly pos: string;
  readonly as_of_ms: number;
  readonly slices: number;
  readonly next_slice: number;
}

/** The facts of one screen in five minutes, or a time range of one or several networks. */
export interface PendingRange extends NetworkRange {
  readonly screen: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly cause: string;
  /** For a range that a batch put off: the first sequence of the first such batch. */
  readonly sequence: bigint;
  /** For a range that a batch put off: the time up to which everything received is derived, in ms since 1970. */
  readonly asOfMs: number;
  readonly slices: number;
  readonly nextSlice: number;
}

const order = "cause != 'facts', as_of, from_at, screen_id, to_at";

export const readNextRange = async (
  session: Pick<BatchSession, 'projection' | 'generation' | 'partition' | 'rows'>,
  network: number,
  kind: PendingKind,
): Promise<PendingRange | undefined> => {
  const [row] = await session.rows<StoredRange>(
    `SELECT toFloat64(${lastNetwork}) AS last, screen_id AS screen, toString(toUnixTimestamp64Milli(from_at)) AS from, toString(toUnixTimestamp64Milli(to_at)) AS to,
       cause, toString(pos) AS pos, toFloat64(toUnixTimestamp64Milli(as_of)) AS as_of_ms, slices, next_slice
     FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND ${isOwnNetwork} AND ${isOfKind(kind)} ORDER BY ${order} LIMIT 1`,
    { network, ...partitionParameters(session.partition) },
  );
  if (!row) return undefined;
  return {
    network,
    lastNetwork: row.last,
    screen: row.screen,
    fromMs: Number(row.from),
    toMs: Number(row.to),
    cause: row.cause,
    sequence: BigInt(row.pos),
    asOfMs: row.as_of_ms,
    slices: row.slices,
    nextSlice: row.next_slice,
  };
};

const unitTable = 'pending_ranges';

/** Query parameters: `network`, and `ranges`, the maximum number of ranges. */
export const unitRanges = (session: BatchSession): TemporaryTable => ({
  name: unitTable,
  sql: `SELECT network_id, screen_id, from_at, to_at, cause, toUInt32(intDiv(toUnixTimestamp64Milli(from_at), ${spanMs})) AS span
    FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND cause = 'facts' AND ({ranges:UInt32} = 1 OR slices = 1)
    ORDER BY ${order} LIMIT {ranges:UInt32}`,
});

const replaceUnitRanges = (session: BatchSession, network: number, at: bigint, columns: string, params: object = {}) =>
  session.run(
    `INSERT INTO ${tableOf(session)} SELECT * REPLACE(${columns}, 2 * {at:UInt64} + 1 AS version, now64(3) AS written_at)
     FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND (${rangeKey}) IN (SELECT ${rangeKey} FROM ${unitTable})`,
    { network, at: at.toString(), ...params },
  );

export const finishUnitRanges = (session: BatchSession, network: number, at: bigint): Promise<void> =>
  replaceUnitRanges(session, network, at, '1 AS is_deleted');

export const recordSlices = (
  session: BatchSession,
  network: number,
  at: bigint,
  progress: { readonly slices: number; readonly nextSlice: number },
): Promise<void> =>
  replaceUnitRanges(session, network, at, '{slices:UInt32} AS slices, {nextSlice:UInt32} AS next_slice', progress);

/**
 * Keeps a higher version, which a damaged range has if another partition is further in the log. Columns are qualified, because an alias in
 * REPLACE hides the column of the same name.
 */
export const shortenWindow = async (
  session: BatchSession,
  { network, fromMs: wasFromMs, toMs, cause }: PendingRange,
  at: bigint,
  fromMs: number | undefined,
): Promise<void> => {
  const table = tableOf(session);
  const params = { network, wasFromMs, toMs, cause, at: at.toString() };
  const replace = (columns: string, more: object = {}) =>
    session.run(
      `INSERT INTO ${table} SELECT * REPLACE(${columns}, greatest(2 * {at:UInt64} + 1, r.version) AS version, now64(3) AS written_at)
       FROM ${table} AS r FINAL WHERE ${ofNetwork} AND r.screen_id = '' AND r.cause = {cause:String}
       AND r.from_at = fromUnixTimestamp64Milli({wasFromMs:Int64}, 'UTC')
       AND r.to_at = fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
      { ...params, ...more },
    );
  if (fromMs !== undefined) await replace(`fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AS from_at`, { fromMs });
  await replace('1 AS is_deleted');
};

export const pendingFactsOf = (tables: readonly string[]): string =>
  tables
    .map(
      (table) => `SELECT network_id, screen_id, toUInt32(intDiv(toUnixTimestamp64Milli(from_at), ${spanMs})) AS span
        FROM ${table} FINAL WHERE cause = 'facts'`,
    )
    .join(' UNION ALL ');

export const isInPendingWindow = (tables: readonly string[]): string => {
  const windows = tables.map(
    (table) =>
      `(SELECT groupArray((network_id, ${lastNetwork}, from_at, to_at)) FROM ${table} FINAL WHERE cause != 'facts')`,
  );
  return `arrayExists(w -> network_id BETWEEN w.1 AND w.2 AND ts >= w.3 AND ts < w.4, arrayConcat(${windows.join(', ')}))`;
};

interface DerivedTime extends NetworkRange {
  readonly asOfMs: number;
}

const readDerivedTimes = (
  writer: Pick<ClickHouseWriter, 'rows'>,
  which: ProjectionGeneration,
  { asOf, condition }: { readonly asOf: string; readonly condition: string },
): Promise<readonly DerivedTime[]> =>
  writer.rows<DerivedTime>(
    `SELECT toFloat64(network_id) AS network, toFloat64(${lastNetwork}) AS lastNetwork, toFloat64(min(${asOf})) AS asOfMs
     FROM ${tableOf(which)} FINAL WHERE ${condition} GROUP BY network, lastNetwork`,
  );

/**
 * Readers must not switch from `other` to `one` while this function returns any network. Of a range of several networks, lists only the
 * first.
 */
export const findNetworksBehind = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  projection: Projection,
  { one, other, partitions }: { readonly one: number; readonly other: number; readonly partitions: number },
): Promise<readonly number[]> => {
  if (!projection.derived) return [];
  const asOf = 'toUnixTimestamp64Milli(as_of)';
  // Damaged ranges are left out: readers of `other` refuse them, so a switch hides no rows.
  const inOther = await readDerivedTimes(
    writer,
    { projection, generation: other },
    { asOf, condition: isOfKind('put-off') },
  );
  // While a range of a replay is pending, its rows may be missing, whatever its `as_of` is.
  const inOne = await readDerivedTimes(
    writer,
    { projection, generation: one },
    { asOf: `if(cause = '${replayCause}', 0, ${asOf})`, condition: '1' },
  );
  const asOfInOther = (network: number) =>
    Math.min(
      ...inOther
        .filter((each) => includesNetwork({ ...each, partitions, shards: (projection.shard ?? onlyShard).of }, network))
        .map(({ asOfMs }) => asOfMs),
    );
  return inOne.filter(({ network, asOfMs }) => asOfMs < asOfInOther(network)).map(({ network }) => network);
};
