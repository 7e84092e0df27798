import { lateAfterMs } from '@popsvc/contracts/completeness';
import { joinWithOr, bind, instantSql, liveViewName, type Sql, sql, tableName } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import {
  backfilledHeartbeats,
  coffee,
  heartbeats,
  liveness,
  outages,
  playSpans,
  spanMs,
} from '@popsvc/read-models/tables';

/** Whole hours of one network, from `from` (inclusive) to `to` (exclusive), in ms since 1970. */
export interface TimeWindow {
  readonly network: number;
  readonly from: number;
  readonly to: number;
}

/**
 * A query whose result does not depend on duplicate rows reads the tables of these generations, because the deduplicating views
 * cost more.
 */
export interface LiveGenerations {
  readonly coffee: number;
  readonly uptime: number;
}

/** Each of `hours` is an index: 0 is the first hour of the window. */
export interface HourRow<Key> {
  readonly of: Key;
  readonly hours: readonly number[];
}

export const hourMs = 3_600_000;
const uint64 = (value: number) => bind('UInt64', value);

const hourIndex = (at: Sql, { from }: TimeWindow): Sql =>
  sql`intDiv(toUnixTimestamp64Milli(${at}) - ${bind('Int64', from)}, 3600000)`;
const within = (at: Sql, { network, from, to }: TimeWindow): Sql =>
  sql`network_id = ${uint64(network)} AND ${at} >= ${instantSql(from)} AND ${at} < ${instantSql(to)}`;

const ids = (of: readonly number[]) => bind('Array(UInt64)', of);
const lateThreshold = bind('Int64', lateAfterMs);

const recordedOutages = ({ network, from, to }: TimeWindow, devices: readonly number[]): Sql => sql`
  SELECT id, offline_at, online_at FROM ${liveViewName(outages)}
  WHERE network_id = ${uint64(network)} AND kind = 'device' AND id IN ${ids(devices)}
    AND offline_at < ${instantSql(to)} AND (online_at IS NULL OR online_at > ${instantSql(from)})`;

export const heartbeatHoursQuery = (
  window: TimeWindow,
  devices: readonly number[],
  { uptime }: LiveGenerations,
): Sql => sql`
SELECT device_id AS of, groupUniqArray(${hourIndex(sql`at`, window)}) AS hours
FROM ${tableName(heartbeats, uptime)} WHERE ${within(sql`at`, window)} AND device_id IN ${ids(devices)} AND feeder_id = 0
GROUP BY device_id`;

export const outageHoursQuery = (window: TimeWindow, devices: readonly number[]): Sql => {
  const begin = sql`greatest(offline_at, ${instantSql(window.from)})`;
  const end = sql`least(ifNull(online_at, ${instantSql(window.to)}), ${instantSql(window.to)}) - toIntervalMillisecond(1)`;
  return sql`
SELECT id AS of, groupUniqArrayArray(range(${hourIndex(begin, window)}, ${hourIndex(end, window)} + 1)) AS hours
FROM (${recordedOutages(window, devices)}) GROUP BY id`;
};

/** Backfilled heartbeats have a time in a recorded outage and were received late. */
export const backfilledHeartbeatHoursQuery = (window: TimeWindow, devices: readonly number[]): Sql => sql`
SELECT b.id AS of, groupUniqArray(${hourIndex(sql`b.at`, window)}) AS hours
FROM (
  SELECT id, at FROM ${liveViewName(backfilledHeartbeats)}
  WHERE ${within(sql`at`, window)} AND kind = 'device' AND id IN ${ids(devices)}
    AND toUnixTimestamp64Milli(received_at) - toUnixTimestamp64Milli(at) > ${lateThreshold}
) AS b
ASOF INNER JOIN (${recordedOutages(window, devices)}) AS o ON b.id = o.id AND b.at >= o.offline_at
WHERE o.online_at IS NULL OR b.at < o.online_at
GROUP BY b.id`;

export const onlineDevicesQuery = ({ network }: TimeWindow, devices: readonly number[], nowMs: number): Sql => sql`
SELECT id FROM ${liveViewName(liveness)} WHERE network_id = ${uint64(network)} AND kind = 'device' AND id IN ${ids(devices)}
  AND ${isOnlineSql(sql`last_received_at`, nowMs)}`;

const maxRanges = 100;

/** Joins adjacent hours. More than `maxRanges` ranges become one, which includes the hours between them. */
const rangesOf = ({ from }: TimeWindow, hours: readonly number[]): readonly (readonly [number, number])[] => {
  const found: [number, number][] = [];
  for (const each of [...hours].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === each) last[1] = each + 1;
    else found.push([each, each + 1]);
  }
  const all = found.length > maxRanges ? [[found[0]![0], found.at(-1)![1]] as const] : found;
  return all.map(([begin, end]) => [from + begin * hourMs, from + end * hourMs]);
};

export const startedInHours = (window: TimeWindow, hours: readonly number[]): Sql =>
  joinWithOr(
    rangesOf(window, hours).map(([begin, end]) => sql`(ts >= ${instantSql(begin)} AND ts < ${instantSql(end)})`),
  );

export const playHoursQuery = (window: TimeWindow, screens: readonly string[], which: Sql): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`ts`, window)}) AS hours
FROM ${liveViewName(coffee)}
WHERE ${within(sql`ts`, window)} AND ${which} AND screen_id IN ${bind('Array(String)', screens)}
GROUP BY screen_id`;

const spansOfHour = hourMs / spanMs;

/** `spans` is a condition on the column `span`. */
interface PlaySpansRead {
  readonly screens: readonly string[];
  readonly spans: Sql;
}

const fromPlaySpans = (window: TimeWindow, { screens, spans }: PlaySpansRead, { coffee: live }: LiveGenerations): Sql =>
  sql`FROM ${tableName(playSpans, live)}
WHERE network_id = ${uint64(window.network)} AND ${spans} AND screen_id IN ${bind('Array(String)', screens)}
  AND ${within(sql`played_at`, window)}`;

/** Matches the spans of the first five minutes of each hour of the window. */
export const firstSpans = ({ from, to }: TimeWindow): Sql =>
  sql`span IN ${bind(
    'Array(UInt64)',
    Array.from({ length: (to - from) / hourMs }, (_, hour) => from / spanMs + hour * spansOfHour),
  )}`;

export const spansInHours = (window: TimeWindow, hours: readonly number[]): Sql =>
  joinWithOr(
    rangesOf(window, hours).map(
      ([begin, end]) => sql`(span >= ${uint64(begin / spanMs)} AND span < ${uint64(end / spanMs)})`,
    ),
  );

/**
 * Matches the earliest play of each screen and hour in the given spans. `coffee` is sorted by time, so ClickHouse deduplicates only the
 * rows around these plays.
 */
export const isFirstPlay = (window: TimeWindow, read: PlaySpansRead, live: LiveGenerations): Sql =>
  sql`(ts, screen_id) IN (SELECT min(played_at), screen_id ${fromPlaySpans(window, read, live)}
GROUP BY screen_id, intDiv(span, ${uint64(spansOfHour)}))`;

/** `screens[i]` was on `devices[i]`. */
interface ScreenDevices {
  readonly screens: readonly string[];
  readonly devices: readonly number[];
}

interface LatePlaysRead extends ScreenDevices {
  readonly spans: Sql;
}

/**
 * May include plays whose first receipt was on time, and plays that `coffee` no longer has. Rows of earlier releases have no time
 * of receipt and count as late.
 */
const latePlays = (window: TimeWindow, { screens, devices, spans }: LatePlaysRead, live: LiveGenerations): Sql => sql`
SELECT p.screen_id AS screen_id, p.played_at AS played_at
FROM (
  SELECT r.screen_id AS screen_id, r.played_at AS played_at, d.id AS id
  FROM (
    SELECT screen_id, played_at ${fromPlaySpans(window, { screens, spans }, live)}
      AND (toUnixTimestamp64Milli(recorded_at) - toUnixTimestamp64Milli(ended_at) > ${lateThreshold} OR recorded_at = ${instantSql(0)})
  ) AS r
  INNER JOIN (
    SELECT pair.1 AS screen_id, pair.2 AS id
    FROM (SELECT arrayJoin(arrayZip(${bind('Array(String)', screens)}, ${ids(devices)})) AS pair)
  ) AS d ON r.screen_id = d.screen_id
) AS p
ASOF INNER JOIN (${recordedOutages(window, devices)}) AS o ON p.id = o.id AND p.played_at >= o.offline_at
WHERE o.online_at IS NULL OR p.played_at < o.online_at`;

export const latePlayHoursQuery = (window: TimeWindow, read: LatePlaysRead, live: LiveGenerations): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`played_at`, window)}) AS hours
FROM (${latePlays(window, read, live)}) GROUP BY screen_id`;

export const isLatePlay = (
  window: TimeWindow,
  read: LatePlaysRead,
  { live, which }: { readonly live: LiveGenerations; readonly which: 'all' | 'last' },
): Sql =>
  which === 'all'
    ? sql`(ts, screen_id) IN (SELECT played_at, screen_id FROM (${latePlays(window, read, live)}))`
    : sql`(ts, screen_id) IN (SELECT max(played_at), screen_id FROM (${latePlays(window, read, live)})
GROUP BY screen_id, ${hourIndex(sql`played_at`, window)})`;

/** The earliest row of a play shows when the play was received, because later rows only add audience data. */
export const backfilledPlayHoursQuery = (
  window: TimeWindow,
  { screens, devices }: ScreenDevices,
  which: Sql,
): Sql => sql`
SELECT p.screen_id AS of, groupUniqArray(${hourIndex(sql`p.ts`, window)}) AS hours
FROM (
  SELECT screen_id, ts, any(device_id) AS id FROM ${liveViewName(coffee)}
  WHERE ${within(sql`ts`, window)} AND ${which} AND screen_id IN ${bind('Array(String)', screens)} AND device_id IN ${ids(devices)}
  GROUP BY screen_id, ts, vendor, event_id
  HAVING toUnixTimestamp64Milli(min(recorded_at)) - toUnixTimestamp64Milli(ts) - any(duration_ms) > ${lateThreshold}
) AS p
ASOF INNER JOIN (${recordedOutages(window, devices)}) AS o ON p.id = o.id AND p.ts >= o.offline_at
WHERE o.online_at IS NULL OR p.ts < o.online_at
GROUP BY p.screen_id`;

/** May include hours whose plays are no longer in `coffee`. */
export const receivedPlayHoursQuery = (window: TimeWindow, read: PlaySpansRead, live: LiveGenerations): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`played_at`, window)}) AS hours
${fromPlaySpans(window, read, live)}
GROUP BY screen_id`;
