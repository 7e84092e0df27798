import { invalidParam } from '@popsvc/contracts/errors';
import type { Span } from '@popsvc/domain/spans';
import { appSilenceMs, intervalsFromRuns, type IntervalRecord } from '@popsvc/domain/uptime';
import { bind, type ClickHouseReader, instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import { currentIntervals } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import {
  type AppOnDevice,
  decodeRuns,
  type HeartbeatRunsRow,
  queryHeartbeatRuns,
  type ReadRuns,
  readRunsAround,
} from './heartbeat-runs.ts';

/** A year of heartbeats forms at most about 175,000 intervals while the state never changes: a silence of more than 3 min ends one. */
export const maxIntervals = 250_000;

const requireReadable = <Item>(items: readonly Item[]): readonly Item[] => {
  if (items.length <= maxIntervals) return items;
  throw invalidParam('from', `the window contains more than ${maxIntervals} intervals; request a shorter window`);
};

/** `all` reads one run too many, so that `requireReadable` notices more than `maxIntervals`. */
const runLimits = {
  all: { end: 'first', limit: maxIntervals + 1 },
  first: { end: 'first', limit: 2 },
  last: { end: 'last', limit: 1 },
} as const;

/**
 * Selects one row of tuples: start, end, last heartbeat, whether stopped. May include intervals outside the window, because only
 * `endRecords` in domain determines when an interval ends.
 */
const queryPushedIntervals = (
  { network, deviceId, appCode }: AppOnDevice,
  { from, to }: Span,
  nowMs: number,
): Sql => sql`
SELECT groupArray((toUnixTimestamp64Milli(started_at), toUnixTimestamp64Milli(ended_at),
  toUnixTimestamp64Milli(last_heartbeat_at), state = 'stopped')) AS intervals
FROM (
  SELECT started_at, ended_at, last_heartbeat_at, state
  FROM (
    SELECT *, max(started_at) OVER () AS newest
    FROM ${rowsOfNetwork(currentIntervals, network, [sql`device_id = ${bind('UInt64', deviceId)}`, sql`app = ${bind('String', appCode)}`, sql`started_at <= ${instantSql(nowMs)}`])}
  )
  WHERE started_at = newest OR (started_at < ${instantSql(to)} AND ifNull(ended_at,
    addMilliseconds(ifNull(last_heartbeat_at, started_at), ${bind('Int64', appSilenceMs)})) >= ${instantSql(from)})
  LIMIT ${bind('UInt64', maxIntervals + 1)}
)`;

interface PushedIntervalsRow {
  readonly intervals: readonly (readonly [
    startedAtMs: number,
    endedAtMs: number | null,
    lastHeartbeatAtMs: number | null,
    isStopped: 0 | 1,
  ])[];
}

/** Throws INVALID_PARAM if there are too many intervals. */
export const readAppIntervals = async (
  { reader, signal }: { readonly reader: ClickHouseReader; readonly signal: AbortSignal },
  app: AppOnDevice,
  window: Span,
  nowMs: number,
): Promise<IntervalRecord[]> => {
  const readRuns: ReadRuns = async (span, which) => {
    const query = queryHeartbeatRuns(app, span, runLimits[which]);
    const [row] = await reader.rows<HeartbeatRunsRow>(query, { signal });
    if (!row) return [];
    requireReadable(row.starts);
    return decodeRuns(row);
  };
  const since1970 = { from: Math.max(0, window.from), to: Math.max(0, window.to) };
  const [runs, [row]] = await Promise.all([
    readRunsAround(readRuns, window, nowMs),
    reader.rows<PushedIntervalsRow>(queryPushedIntervals(app, since1970, nowMs), { signal }),
  ]);
  const pushed = requireReadable(row?.intervals ?? []).map(
    ([startedAtMs, endedAtMs, lastHeartbeatAtMs, isStopped]): IntervalRecord => ({
      state: isStopped === 1 ? 'stopped' : 'running',
      startedAtMs,
      endedAtMs,
      lastHeartbeatAtMs,
    }),
  );
  return [...pushed, ...intervalsFromRuns(runs)];
};
