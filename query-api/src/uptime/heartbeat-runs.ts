import type { Span } from '@popsvc/domain/spans';
import { appSilenceMs, type HeartbeatRun, joinRuns } from '@popsvc/domain/uptime';
import { bind, currentRows, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { heartbeats } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';

/** The caller must have verified that the request may read this network and device. */
export interface AppOnDevice {
  readonly network: number;
  readonly deviceId: number;
  readonly appCode: string;
  /** Generation of the uptime tables; by default, the live one. */
  readonly generation?: number | undefined;
}

/** A run is a sequence of heartbeats with the same state and gaps of at most `appSilenceMs`. */
interface RunLimit {
  readonly end: 'first' | 'last';
  readonly limit: number;
}

/**
 * ClickHouse forms the runs, because an app may send half a million heartbeats a year; window functions would take four times as long as
 * arrays. A heartbeat is encoded as twice its time in ms, plus one if stopped. `previous_ends`: the last heartbeat before each run, 0 if
 * there is none.
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

/** If the query omitted later runs, the last run wrongly extends to the last heartbeat of the span. */
export const decodeRuns = ({ starts, previous_ends, last }: HeartbeatRunsRow): HeartbeatRun[] =>
  starts.map((start, index) => ({
    state: start % 2 === 1 ? 'stopped' : 'running',
    firstMs: timeOf(start),
    lastMs: timeOf(previous_ends[index + 1] ?? last),
  }));

/** `first` also reads the second run, because only that shows where the first run ended. */
export type ReadRuns = (span: Span, which: 'all' | 'first' | 'last') => Promise<readonly HeartbeatRun[]>;

const dayMs = 86_400_000;
const growthFactor = 8;

/** A run may begin years before the window and end years after it, so longer and longer spans are read on both sides. */
export const readRunsAround = async (read: ReadRuns, window: Span, nowMs: number): Promise<readonly HeartbeatRun[]> => {
  let from = Math.max(0, window.from - appSilenceMs);
  let to = Math.min(nowMs, Math.max(0, window.to) + appSilenceMs) + 1;
  let runs = await read({ from, to }, 'all');

  const mayBeginEarlier = () => from > 0 && runs[0] !== undefined && runs[0].firstMs - from < appSilenceMs;
  for (let lengthMs = dayMs; mayBeginEarlier(); lengthMs *= growthFactor) {
    const before = { from: Math.max(0, from - lengthMs), to: from };
    const joined = joinRuns(await read(before, 'last'), runs);
    from = before.from;
    // The earlier run did not join the first one, which is therefore complete.
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
