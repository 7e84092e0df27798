import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { damagedCause } from '@popsvc/read-models/tables';
import type { ProjectionGeneration } from './dependencies.ts';
import {
  type BatchSession,
  derivedTableOf,
  type NetworkRange,
  type Projection,
  type StaleWindow,
  type TemporaryTable,
} from './projection.ts';

const ofNetwork = 'network_id = {network:UInt64}';
const spanMs = 300_000;
/** Last network of a range. The column may be 0 in ranges of one network. */
const lastNetwork = 'greatest(network_id, last_network)';

/** Returns the name of the table with the pending ranges of a generation. */
const tableOf = ({ projection, generation }: ProjectionGeneration): string =>
  generationTable(derivedTableOf(projection).pending, generation);

/** `put-off`: ranges that batches put off, and those of a replay from facts. `damaged`: ranges whose rows were lost. */
export type PendingKind = 'put-off' | 'damaged';

const isOfKind = (kind: PendingKind): string => `cause ${kind === 'damaged' ? '=' : '!='} '${damagedCause}'`;

/** Reads the networks of a generation that have pending ranges. */
export const readPendingNetworks = async (
  session: Pick<BatchSession, 'projection' | 'generation' | 'rows'>,
  kind: PendingKind,
): Promise<readonly number[]> => {
  const rows = await session.rows<{ network: number }>(
    `SELECT DISTINCT toFloat64(network_id) AS network FROM ${tableOf(session)} FINAL WHERE ${isOfKind(kind)} ORDER BY network_id`,
  );
  return rows.map(({ network }) => network);
};

/** Returns true if a generation has no pending ranges of any kind. */
export const isFullyDerived = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  which: ProjectionGeneration,
): Promise<boolean> =>
  !which.projection.derived || (await writer.rows(`SELECT 1 FROM ${tableOf(which)} FINAL LIMIT 1`)).length === 0;

/**
 * Makes ranges pending again that were derived less than three minutes before the newest one. ClickHouse may have lost their rows
 * when it restarted (see `unsyncedWindowMs`), and the list of its parts may lack the parts with these rows. Damaged ranges begin
 * again when the tables are verified (see `verifyGeneration`).
 */
export const reviveLatestRanges = (
  session: Pick<BatchSession, 'projection' | 'generation' | 'run'>,
  reached: bigint,
): Promise<void> => {
  const table = tableOf(session);
  return session.run(
    `INSERT INTO ${table} SELECT * REPLACE(0 AS is_deleted, 1 AS slices, 0 AS next_slice,
       2 * {reached:UInt64} + 1 AS version, now64(3) AS written_at)
     FROM ${table} AS r WHERE r.is_deleted = 1 AND ${isOfKind('put-off')}
     AND r.written_at > (SELECT max(written_at) FROM ${table}) - INTERVAL 3 MINUTE`,
    { reached: reached.toString() },
  );
};

/**
 * Adds ranges to the table. A range that is already pending keeps its position and its time, and is derived from its beginning
 * again. `from`: a query or table with the columns network_id, screen_id, from_at, to_at and cause.
 */
const addRanges = (session: BatchSession, from: string, upTo: bigint, params: object = {}): Promise<void> =>
  session.run(
    `INSERT INTO ${tableOf(session)}
     SELECT n.network_id AS network_id, n.network_id AS last_network, n.screen_id AS screen_id, n.from_at AS from_at, n.to_at AS to_at, n.cause AS cause,
       if(p.version > 0, p.pos, {upTo:UInt64}) AS pos,
       if(p.version > 0, p.as_of, fromUnixTimestamp64Milli({asOfMs:Int64}, 'UTC')) AS as_of,
       1 AS slices, 0 AS next_slice, now64(3) AS written_at, 2 * {upTo:UInt64} AS version, 0 AS is_deleted
     FROM (${from}) AS n
     LEFT JOIN (SELECT * FROM ${tableOf(session)} FINAL) AS p
     ON n.network_id = p.network_id AND n.screen_id = p.screen_id AND n.from_at = p.from_at AND n.to_at = p.to_at
       AND n.cause = p.cause`,
    { ...params, upTo: upTo.toString(), asOfMs: session.derivedAsOfMs },
  );

/** Adds the ranges of the temporary table `put_off`. */
export const putOffRanges = (session: BatchSession, upTo: bigint): Promise<void> =>
  addRanges(session, `SELECT DISTINCT network_id, screen_id, from_at, to_at, 'facts' AS cause FROM put_off`, upTo);

const causeOf = ({ reason, everything }: StaleWindow) => (everything ? 'thresholds' : reason);

/** Adds the time range of a registry change. */
export const putOffWindow = (session: BatchSession, upTo: bigint, window: StaleWindow): Promise<void> =>
  addRanges(
    session,
    `SELECT {network:UInt64} AS network_id, '' AS screen_id, fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AS from_at,
       fromUnixTimestamp64Milli({toMs:Int64}, 'UTC') AS to_at, {cause:String} AS cause`,
    upTo,
    { network: window.network, fromMs: window.fromMs, toMs: window.toMs, cause: causeOf(window) },
  );

interface StoredRange {
  readonly last: number;
  readonly screen: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly pos: string;
  readonly slices: number;
  readonly next_slice: number;
}

/** A pending range: the facts of one screen and five minutes, or a time range of one or several networks. */
export interface PendingRange extends NetworkRange {
  readonly screen: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly cause: string;
  /** Last sequence of the first batch that put the range off. */
  readonly sequence: bigint;
  readonly slices: number;
  readonly nextSlice: number;
}

const order = "cause != 'facts', as_of, from_at, screen_id, to_at";

/** Reads the range of a network that is derived next: ranges of facts first, the oldest first; undefined if none is left. */
export const readNextRange = async (
  session: BatchSession,
  network: number,
  kind: PendingKind,
): Promise<PendingRange | undefined> => {
  const [row] = await session.rows<StoredRange>(
    `SELECT toFloat64(${lastNetwork}) AS last, screen_id AS screen, toString(toUnixTimestamp64Milli(from_at)) AS from, toString(toUnixTimestamp64Milli(to_at)) AS to,
       cause, toString(pos) AS pos, slices, next_slice
     FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND ${isOfKind(kind)} ORDER BY ${order} LIMIT 1`,
    { network },
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
    slices: row.slices,
    nextSlice: row.next_slice,
  };
};

const unitTable = 'pending_ranges';

/**
 * Returns the temporary table with the ranges of facts that one unit derives: parameters `network` and `ranges`, their maximum
 * number. A range that is derived in slices is a unit of its own.
 */
export const unitRanges = (session: BatchSession): TemporaryTable => ({
  name: unitTable,
  sql: `SELECT network_id, screen_id, from_at, to_at, cause, toUInt32(intDiv(toUnixTimestamp64Milli(from_at), ${spanMs})) AS span
    FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND cause = 'facts' AND ({ranges:UInt32} = 1 OR slices = 1)
    ORDER BY ${order} LIMIT {ranges:UInt32}`,
});

const rangeKey = 'network_id, screen_id, from_at, to_at, cause';

/** Writes changed columns of the unit's ranges. */
const replaceUnitRanges = (session: BatchSession, network: number, at: bigint, columns: string, params: object = {}) =>
  session.run(
    `INSERT INTO ${tableOf(session)} SELECT * REPLACE(${columns}, 2 * {at:UInt64} + 1 AS version, now64(3) AS written_at)
     FROM ${tableOf(session)} FINAL WHERE ${ofNetwork} AND (${rangeKey}) IN (SELECT ${rangeKey} FROM ${unitTable})`,
    { network, at: at.toString(), ...params },
  );

/** Removes the ranges of `pending_ranges` after their rows have been derived at the sequence `at`. */
export const finishUnitRanges = (session: BatchSession, network: number, at: bigint): Promise<void> =>
  replaceUnitRanges(session, network, at, '1 AS is_deleted');

/** Records how far the only range of `pending_ranges` is derived. */
export const recordSlices = (
  session: BatchSession,
  network: number,
  at: bigint,
  progress: { readonly slices: number; readonly nextSlice: number },
): Promise<void> =>
  replaceUnitRanges(session, network, at, '{slices:UInt32} AS slices, {nextSlice:UInt32} AS next_slice', progress);

/**
 * Shortens a time range to what begins at `fromMs`, or removes it if `fromMs` is undefined. Columns are qualified, because an alias
 * of REPLACE hides the column of its name.
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
      `INSERT INTO ${table} SELECT * REPLACE(${columns}, 2 * {at:UInt64} + 1 AS version, now64(3) AS written_at)
       FROM ${table} AS r FINAL WHERE ${ofNetwork} AND r.screen_id = '' AND r.cause = {cause:String}
       AND r.from_at = fromUnixTimestamp64Milli({wasFromMs:Int64}, 'UTC')
       AND r.to_at = fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')`,
      { ...params, ...more },
    );
  if (fromMs !== undefined) await replace(`fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC') AS from_at`, { fromMs });
  await replace('1 AS is_deleted');
};

/** Query for the pending ranges of facts. `tables`: names of tables of pending ranges. */
export const pendingFactsOf = (tables: readonly string[]): string =>
  tables
    .map(
      (table) => `SELECT network_id, screen_id, toUInt32(intDiv(toUnixTimestamp64Milli(from_at), ${spanMs})) AS span
        FROM ${table} FINAL WHERE cause = 'facts'`,
    )
    .join(' UNION ALL ');

/** SQL condition for rows in a pending time range. `tables`: names of tables of pending ranges. */
export const isInPendingWindow = (tables: readonly string[]): string => {
  const windows = tables.map(
    (table) =>
      `(SELECT groupArray((network_id, ${lastNetwork}, from_at, to_at)) FROM ${table} FINAL WHERE cause != 'facts')`,
  );
  return `arrayExists(w -> network_id BETWEEN w.1 AND w.2 AND ts >= w.3 AND ts < w.4, arrayConcat(${windows.join(', ')}))`;
};

const readDerivedTimes = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  which: ProjectionGeneration,
  condition = '1',
): Promise<ReadonlyMap<number, number>> => {
  const rows = await writer.rows<{ network: number; as_of_ms: number }>(
    `SELECT toFloat64(network_id) AS network, toFloat64(toUnixTimestamp64Milli(min(as_of))) AS as_of_ms
     FROM ${tableOf(which)} FINAL WHERE ${condition} GROUP BY network_id`,
  );
  return new Map(rows.map(({ network, as_of_ms: ms }) => [network, ms]));
};

/**
 * Lists the networks that are derived less far in one generation than in another, or have damaged ranges in the one. Readers must
 * not switch from the other to the one before both are derived equally far.
 */
export const findNetworksBehind = async (
  writer: Pick<ClickHouseWriter, 'rows'>,
  projection: Projection,
  { one, other }: { readonly one: number; readonly other: number },
): Promise<readonly number[]> => {
  if (!projection.derived) return [];
  // Lost rows of the other generation are refused, so readers see none of them.
  const asOfInOther = await readDerivedTimes(writer, { projection, generation: other }, isOfKind('put-off'));
  return [...(await readDerivedTimes(writer, { projection, generation: one }))]
    .filter(([network, ms]) => ms < (asOfInOther.get(network) ?? Infinity))
    .map(([network]) => network);
};
