import { currentIntervals } from '@popsvc/read-models/tables';
import type { Span } from '@popsvc/domain/spans';
import { appSilenceMs } from '@popsvc/domain/uptime';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { AppOnDevice } from './beat-runs.query.ts';
import { instantSql, ofNetwork } from './of-network.ts';

/**
 * The pushed intervals of an app that may count in a window, and the newest of all that have begun, in one row: start, end,
 * last heartbeat, whether of the state stopped. Until when one counts is the domain's to say, so none is left out too early.
 */
export const appIntervalsQuery = (
  { network, deviceId, appCode }: AppOnDevice,
  { from, to }: Span,
  nowMs: number,
  limit: number,
): Sql => sql`
SELECT groupArray((toUnixTimestamp64Milli(started_at), toUnixTimestamp64Milli(ended_at),
  toUnixTimestamp64Milli(last_heartbeat_at), state = 'stopped')) AS intervals
FROM (
  SELECT started_at, ended_at, last_heartbeat_at, state
  FROM (
    SELECT *, max(started_at) OVER () AS newest
    FROM ${ofNetwork(currentIntervals, network, [sql`device_id = ${bind('UInt64', deviceId)}`, sql`app = ${bind('String', appCode)}`, sql`started_at <= ${instantSql(nowMs)}`])}
  )
  WHERE started_at = newest OR (started_at < ${instantSql(to)} AND ifNull(ended_at,
    addMilliseconds(ifNull(last_heartbeat_at, started_at), ${bind('Int64', appSilenceMs)})) >= ${instantSql(from)})
  LIMIT ${bind('UInt64', limit)}
)`;
