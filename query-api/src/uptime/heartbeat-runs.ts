import type { Span } from '@popsvc/domain/spans';
import { appSilenceMs, type HeartbeatRun, joinRuns } from '@popsvc/domain/uptime';
import { bind, currentRows, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { heartbeats } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';

/** An app on a device. The caller has verified that the request may read this network and device. */
export interface AppOnDevice {
  readonly network: number;
  readonly deviceId: number;
  readonly appCode: string;
  /** The generation of the uptime tables to read; by default, the live one. */
  readonly generation?: number | undefined;
}

/**
 * Restricts a query to the first or last `limit` runs in a time span. A run is a sequence of heartbeats that have the same state and gaps
 * of at most `appSilenceMs`.
 */
interface RunLimit {
  readonly end: 'first' | 'last';
  readonly limit: number;
}

/**
 * Groups an app's heartbeats in a time span into runs and returns the selected runs in a single row. `groupHeartbeats` in
 * test/src/oracle/uptime.ts specifies the result. ClickHouse does the grouping, because an app may send half a million heartbeats a year.
 * The query uses arrays, because window functions take four times as long.
 *
 * Each heartbeat is encoded as one number: twice its time in ms, plus one if the state is stopped. `starts` contains the first heartbeat of
 * each selected run, `previous_ends` the last heartbeat before each of them (0 if there is none), and `last` the last heartbeat of the
 * span.
 */
export const queryHeartbeatRuns = (
  { network, deviceId, appCode, generation }: AppOnDevice,
  { from, to }: Span,
  { end, limit }: RunLimit,
): Sql => sql`
WITH
  arrayCompact(arraySort(groupArray(2 * toUnixTimestamp64Milli(at) + (state = 'stopped')))) AS encoded,
  arrayFilter((beat, next) -> beat % 2 = 1 OR next != beat + 1, encoded, arrayPopFront(arrayPushBack(encoded, 0))) AS beats,
  arrayPopBack(arrayPushFront(beats, 0)) AS previous,
  arrayMap((beat, before) -> beat % 2 != before % 2 OR beat - before > ${bind('Int64', 2 * appSilenceMs)}, beats, previous) AS begins
SELECT
  ${takeItems(sql`arrayFilter((beat, is_first) -> is_first, beats, begins)`, end, limit)} AS starts,
  ${takeItems(sql`arrayFilter((before, is_first) -> is_first, previous, begins)`, end, limit)} AS previous_ends,
  beats[-1] AS last
FROM ${rowsOfNetwork(heartbeats, network, [sql`device_id = ${bind('UInt64', deviceId)}`, sql`feeder_id = 0`, sql`app = ${bind('String', appCode)}`, sql`at >= ${instantSql(from)}`, sql`at < ${instantSql(to)}`], currentRows(heartbeats, generation))}`;

const takeItems = (items: Sql, end: RunLimit['end'], limit: number): Sql =>
  sql`arraySlice(${items}, ${end === 'first' ? sql`1, ${bind('UInt64', limit)}` : bind('Int64', -limit)})`;

export interface HeartbeatRunsRow {
  readonly starts: readonly number[];
  readonly previous_ends: readonly number[];
  readonly last: number;
}

const timeOf = (encoded: number): number => Math.floor(encoded / 2);

/**
 * Decodes the runs. Each run ends with the last heartbeat before the next run starts. If the query omitted later runs, the last run wrongly
 * extends to the last heartbeat of the span.
 */
export const decodeRuns = ({ starts, previous_ends, last }: HeartbeatRunsRow): HeartbeatRun[] =>
  starts.map((start, index) => ({
    state: start % 2 === 1 ? 'stopped' : 'running',
    firstMs: timeOf(start),
    lastMs: timeOf(previous_ends[index + 1] ?? last),
  }));

/**
 * Reads the heartbeat runs in a time span. `all` reads every run, and `last` reads only the last run. `first` reads the first run
 * and, if there is one, the second run, because only the second run shows where the first run ended.
 */
export type ReadRuns = (span: Span, which: 'all' | 'first' | 'last') => Promise<readonly HeartbeatRun[]>;

const dayMs = 86_400_000;
const growthFactor = 8;

/**
 * Reads all runs that overlap a window, from their first to their last heartbeat, and the next run after the window, of which a part is
 * enough. A run may begin years before the window and end years after it. The function therefore reads longer and longer spans on both
 * sides of the window.
 */
export const readRunsAround = async (read: ReadRuns, window: Span, nowMs: number): Promise<readonly HeartbeatRun[]> => {
  let from = Math.max(0, window.from - appSilenceMs);
  let to = Math.min(nowMs, Math.max(0, window.to) + appSilenceMs) + 1;
  let runs = await read({ from, to }, 'all');

  const mayBeginEarlier = () => from > 0 && runs[0] !== undefined && runs[0].firstMs - from < appSilenceMs;
  for (let lengthMs = dayMs; mayBeginEarlier(); lengthMs *= growthFactor) {
    const before = { from: Math.max(0, from - lengthMs), to: from };
    const joined = joinRuns(await read(before, 'last'), runs);
    from = before.from;
    // If `joined` is longer than `runs`, `joinRuns` did not join the earlier run with the first run: the gap between them exceeds
    // `appSilenceMs`, or their states differ. The first run is therefore complete.
    if (joined.length > runs.length) break;
    runs = joined;
  }

  const mayContinue = () => to <= nowMs && (runs.at(-1)?.firstMs ?? -Infinity) < window.to;
  for (let lengthMs = dayMs; mayContinue(); lengthMs *= growthFactor) {
    const after = { from: to, to: Math.min(nowMs + 1, to + lengthMs) };
    runs = joinRuns(runs, await read(after, 'first'));
    to = after.to;
  }
  return runs;
};
