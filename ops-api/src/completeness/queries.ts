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

/** A time window in one network: whole hours, from `from` (inclusive) to `to` (exclusive), in ms since 1970. */
export interface TimeWindow {
  readonly network: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The numbers of the live generations. A query whose result does not depend on duplicate rows reads the tables of these generations,
 * because the deduplicating views cost more.
 */
export interface LiveGenerations {
  readonly coffee: number;
  readonly uptime: number;
}

/** The hours that a query found for a screen or device. Each hour is an index; index 0 is the first hour of the window. */
export interface HourRow<Key> {
  readonly of: Key;
  readonly hours: readonly number[];
}

export const hourMs = 3_600_000;
const uint64 = (value: number) => bind('UInt64', value);

/** Builds the SQL expression for the index of the hour that contains the time `at`. Index 0 is the first hour of the window. */
const hourIndex = (at: Sql, { from }: TimeWindow): Sql =>
  sql`intDiv(toUnixTimestamp64Milli(${at}) - ${bind('Int64', from)}, 3600000)`;
const within = (at: Sql, { network, from, to }: TimeWindow): Sql =>
  sql`network_id = ${uint64(network)} AND ${at} >= ${instantSql(from)} AND ${at} < ${instantSql(to)}`;

const ids = (of: readonly number[]) => bind('Array(UInt64)', of);
const lateThreshold = bind('Int64', lateAfterMs);

/** Selects the recorded outages of the given devices that overlap the window. */
const recordedOutages = ({ network, from, to }: TimeWindow, devices: readonly number[]): Sql => sql`
  SELECT id, offline_at, online_at FROM ${liveViewName(outages)}
  WHERE network_id = ${uint64(network)} AND kind = 'device' AND id IN ${ids(devices)}
    AND offline_at < ${instantSql(to)} AND (online_at IS NULL OR online_at > ${instantSql(from)})`;

/** Selects the hours of the window in which the given devices, or apps on them, sent a heartbeat. */
export const heartbeatHoursQuery = (
  window: TimeWindow,
  devices: readonly number[],
  { uptime }: LiveGenerations,
): Sql => sql`
SELECT device_id AS of, groupUniqArray(${hourIndex(sql`at`, window)}) AS hours
FROM ${tableName(heartbeats, uptime)} WHERE ${within(sql`at`, window)} AND device_id IN ${ids(devices)} AND feeder_id = 0
GROUP BY device_id`;

/** Selects the hours of the window in which the given devices have a recorded outage. */
export const outageHoursQuery = (window: TimeWindow, devices: readonly number[]): Sql => {
  const begin = sql`greatest(offline_at, ${instantSql(window.from)})`;
  const end = sql`least(ifNull(online_at, ${instantSql(window.to)}), ${instantSql(window.to)}) - toIntervalMillisecond(1)`;
  return sql`
SELECT id AS of, groupUniqArrayArray(range(${hourIndex(begin, window)}, ${hourIndex(end, window)} + 1)) AS hours
FROM (${recordedOutages(window, devices)}) GROUP BY id`;
};

/** Selects the hours with backfilled heartbeats: heartbeats that were sent during a recorded outage and arrived late. */
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

/**
 * Maximum number of time ranges in a query. A query for more ranges uses a single one, from the start of the first to the end of the
 * last.
 */
const maxRanges = 100;

/** Joins adjacent hours into as few time ranges as possible. */
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

/** Builds the SQL condition for plays that started during the given hours of the window (see `maxRanges`). */
export const startedInHours = (window: TimeWindow, hours: readonly number[]): Sql =>
  joinWithOr(
    rangesOf(window, hours).map(([begin, end]) => sql`(ts >= ${instantSql(begin)} AND ts < ${instantSql(end)})`),
  );

/** Selects the hours of the window in which plays started on the given screens. Considers only rows that match the condition `which`. */
export const playHoursQuery = (window: TimeWindow, screens: readonly string[], which: Sql): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`ts`, window)}) AS hours
FROM ${liveViewName(coffee)}
WHERE ${within(sql`ts`, window)} AND ${which} AND screen_id IN ${bind('Array(String)', screens)}
GROUP BY screen_id`;

const spansOfHour = hourMs / spanMs;

/** Which rows of the table `playSpans` a query reads. `spans` is a condition on the column `span`. */
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

/** Matches the spans of the given hours of the window (see `maxRanges`). */
export const spansInHours = (window: TimeWindow, hours: readonly number[]): Sql =>
  joinWithOr(
    rangesOf(window, hours).map(
      ([begin, end]) => sql`(span >= ${uint64(begin / spanMs)} AND span < ${uint64(end / spanMs)})`,
    ),
  );

/**
 * Matches the rows of `coffee` for the earliest play of each screen and hour in the given spans of `playSpans`. The rows of `coffee` are
 * sorted by time, so ClickHouse reads and deduplicates only the rows around these plays.
 */
export const isFirstPlay = (window: TimeWindow, read: PlaySpansRead, live: LiveGenerations): Sql =>
  sql`(ts, screen_id) IN (SELECT min(played_at), screen_id ${fromPlaySpans(window, read, live)}
GROUP BY screen_id, intDiv(span, ${uint64(spansOfHour)}))`;

/** Pairs of a screen and a device on which the screen was: `screens[i]` was on `devices[i]`. */
interface ScreenDevices {
  readonly screens: readonly string[];
  readonly devices: readonly number[];
}

/**
 * The screens whose late plays a query reads, and the devices whose outages it compares them with. `spans` is a condition on the
 * column `span`.
 */
interface LatePlaysRead extends ScreenDevices {
  readonly spans: Sql;
}

/**
 * Selects the screen and the start of each play that began during a recorded outage of a given device of the screen and whose newest
 * receipt is late. The result may include plays that are not backfilled because their first receipt was on time, and plays that `coffee` no
 * longer has.
 *
 * Rows that an earlier release wrote have no time of receipt and count as late.
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

/** Selects the hours with plays that may be backfilled. */
export const latePlayHoursQuery = (window: TimeWindow, read: LatePlaysRead, live: LiveGenerations): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`played_at`, window)}) AS hours
FROM (${latePlays(window, read, live)}) GROUP BY screen_id`;

/** Matches the rows of `coffee` for plays that may be backfilled: all such plays, or only the last one of each screen and hour. */
export const isLatePlay = (
  window: TimeWindow,
  read: LatePlaysRead,
  { live, which }: { readonly live: LiveGenerations; readonly which: 'all' | 'last' },
): Sql =>
  which === 'all'
    ? sql`(ts, screen_id) IN (SELECT played_at, screen_id FROM (${latePlays(window, read, live)}))`
    : sql`(ts, screen_id) IN (SELECT max(played_at), screen_id FROM (${latePlays(window, read, live)})
GROUP BY screen_id, ${hourIndex(sql`played_at`, window)})`;

/**
 * Selects the hours with backfilled plays: plays that started during a recorded outage and arrived late. The earliest row of a play
 * shows when the play was received, because later rows only add audience data. Considers only rows that match the condition `which`.
 */
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

/**
 * Selects the hours of the given spans in which at least one received play started. The result may include hours whose plays are no
 * longer in the dataset `coffee`. Reads the table `playSpans`, which indexes plays by screen and five-minute span, so one query can
 * cover all screens.
 */
export const receivedPlayHoursQuery = (window: TimeWindow, read: PlaySpansRead, live: LiveGenerations): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hourIndex(sql`played_at`, window)}) AS hours
${fromPlaySpans(window, read, live)}
GROUP BY screen_id`;
