import { lateAfterMs } from '@popsvc/contracts/completeness';
import { backfilledHeartbeats, coffee, heartbeats, liveness, outages } from '@popsvc/read-models/tables';
import { bind, instantSql, liveViewName, type Sql, sql, tableName } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import { hour, type LiveGenerations, number, type Stretch, within } from './stretch.ts';

const ids = (of: readonly number[]) => bind('Array(UInt64)', of);
const late = bind('Int64', lateAfterMs);

/** When these devices were recorded as offline, as far as it touches the stretch. */
const recorded = ({ network, from, to }: Stretch, devices: readonly number[]): Sql => sql`
  SELECT id, offline_at, online_at FROM ${liveViewName(outages)}
  WHERE network_id = ${number(network)} AND kind = 'device' AND id IN ${ids(devices)}
    AND offline_at < ${instantSql(to)} AND (online_at IS NULL OR online_at > ${instantSql(from)})`;

/** Hours in which these devices, or apps on them, were heard. */
export const heardQuery = (stretch: Stretch, devices: readonly number[], { uptime }: LiveGenerations): Sql => sql`
SELECT device_id AS of, groupUniqArray(${hour(sql`at`, stretch)}) AS hours
FROM ${tableName(heartbeats, uptime)} WHERE ${within(sql`at`, stretch)} AND device_id IN ${ids(devices)} AND feeder_id = 0
GROUP BY device_id`;

/** Which of these devices were recorded as offline at all. */
export const outOfUseQuery = (stretch: Stretch, devices: readonly number[]): Sql =>
  sql`SELECT DISTINCT id FROM (${recorded(stretch, devices)})`;

/** Hours in which heartbeats came late that lie in an outage. */
export const lateBeatsQuery = (stretch: Stretch, devices: readonly number[]): Sql => sql`
SELECT b.id AS of, groupUniqArray(${hour(sql`b.at`, stretch)}) AS hours
FROM (
  SELECT id, at FROM ${liveViewName(backfilledHeartbeats)}
  WHERE ${within(sql`at`, stretch)} AND kind = 'device' AND id IN ${ids(devices)}
    AND toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(at) > ${late}
) AS b
ASOF INNER JOIN (${recorded(stretch, devices)}) AS o ON b.id = o.id AND b.at >= o.offline_at
WHERE o.online_at IS NULL OR b.at < o.online_at
GROUP BY b.id`;

/** Where rows of plays may have come late: between which instants, and of which screens. */
export interface LateRows {
  readonly from_ms: number;
  readonly to_ms: number;
  readonly screens: readonly string[];
}

/** Rows of these devices that came late, of plays that may have come earlier or stand no more. */
export const lateRowsQuery = (
  stretch: Stretch,
  devices: readonly number[],
  { coffee: live }: LiveGenerations,
): Sql => sql`
SELECT toUnixTimestamp64Milli(min(ts)) AS from_ms, toUnixTimestamp64Milli(max(ts)) + 1 AS to_ms,
  groupUniqArray(screen_id) AS screens
FROM ${tableName(coffee, live)}
WHERE ${within(sql`ts`, stretch)} AND device_id IN ${ids(devices)} AND is_deleted = 0
  AND ts >= (SELECT min(offline_at) FROM (${recorded(stretch, devices)}))
  AND ts < (SELECT max(ifNull(online_at, ${instantSql(stretch.to)})) FROM (${recorded(stretch, devices)}))
  AND toUnixTimestamp64Milli(recorded_at) - toUnixTimestamp64Milli(ts) - duration_ms > ${late}
HAVING count() > 0`;

/**
 * Hours in which plays came late that lie in an outage. When a play came is told by its earliest row: later ones tell of audience
 * that was told afterwards.
 */
export const latePlaysQuery = (stretch: Stretch, rows: LateRows, devices: readonly number[]): Sql => sql`
SELECT p.screen_id AS of, groupUniqArray(${hour(sql`p.ts`, stretch)}) AS hours
FROM (
  SELECT screen_id, ts, any(device_id) AS id FROM ${liveViewName(coffee)}
  WHERE ${within(sql`ts`, { ...stretch, from: rows.from_ms, to: rows.to_ms })}
    AND screen_id IN ${bind('Array(String)', rows.screens)} AND device_id IN ${ids(devices)}
  GROUP BY screen_id, ts, vendor, event_id
  HAVING toUnixTimestamp64Milli(min(recorded_at)) - toUnixTimestamp64Milli(ts) - any(duration_ms) > ${late}
) AS p
ASOF INNER JOIN (${recorded(stretch, devices)}) AS o ON p.id = o.id AND p.ts >= o.offline_at
WHERE o.online_at IS NULL OR p.ts < o.online_at
GROUP BY p.screen_id`;

/** Which of these devices are online now. */
export const onlineQuery = ({ network }: Stretch, devices: readonly number[], nowMs: number): Sql => sql`
SELECT id FROM ${liveViewName(liveness)} WHERE network_id = ${number(network)} AND kind = 'device' AND id IN ${ids(devices)}
  AND ${isOnlineSql(sql`last_received_at`, nowMs)}`;
