import type { Span } from '@popsvc/domain/spans';
import { onlineWindowMs } from '@popsvc/domain/status';
import {
  backfilledHeartbeats,
  heartbeats,
  liveness,
  progressView,
  registryTables,
  screenPlaces,
} from '@popsvc/read-models/tables';
import { bind, instantSql, joinWithAnd, joinWithOr, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import type { DeviceStatus } from './schema.ts';

export interface DevicesFilter {
  readonly network?: number | undefined;
  readonly status?: DeviceStatus | undefined;
  readonly siteIds?: readonly number[] | undefined;
  readonly search?: string | undefined;
}

/** `total` is the number of all devices that match the filter. */
export interface DeviceRow {
  readonly id: number;
  readonly name: string;
  readonly network_id: number;
  readonly network_name: string;
  readonly site_id: number;
  readonly site_name: string;
  readonly site_timezone: string;
  readonly location_id: number;
  readonly location_name: string;
  readonly status: DeviceStatus;
  readonly last_ms: number | null;
  readonly total: number;
}

const uint64 = (value: number) => bind('UInt64', value);
const ids = (of: readonly number[]) => bind('Array(UInt64)', of);
const ifGiven = <Value>(value: Value | undefined, condition: (given: Value) => Sql) =>
  value === undefined ? undefined : condition(value);
const ofNetwork = (network: number | undefined) => ifGiven(network, (id) => sql`network_id = ${uint64(id)}`);

const status = (last: Sql, nowMs: number): Sql =>
  sql`multiIf(isNull(${last}), 'never', ${isOnlineSql(last, nowMs)}, 'online', 'offline')`;

const matchesSearch = (text: string): Sql =>
  joinWithOr([
    sql`positionCaseInsensitiveUTF8(name, ${bind('String', text)}) > 0`,
    sql`toString(device_id) = ${bind('String', text)}`,
    sql`device_id IN (SELECT device_id FROM ${liveViewName(screenPlaces)} WHERE screen_id = ${bind('String', text)})`,
  ]);

const matchingDevices = (wanted: DevicesFilter, nowMs: number): Sql => sql`
  SELECT d.device_id AS id, d.name AS name, d.network_id AS network_id, d.location_id AS location_id, h.last AS last,
    ${status(sql`h.last`, nowMs)} AS status
  FROM (
    SELECT device_id, network_id, location_id, name FROM ${liveViewName(registryTables.devices)}
    WHERE ${joinWithAnd([
      sql`retired = 0`,
      ofNetwork(wanted.network),
      ifGiven(
        wanted.siteIds,
        (sites) =>
          sql`location_id IN (SELECT location_id FROM ${liveViewName(registryTables.locations)} WHERE site_id IN ${ids(sites)})`,
      ),
      ifGiven(wanted.search, matchesSearch),
    ])}
  ) AS d
  LEFT JOIN (
    SELECT network_id, id, toNullable(last_received_at) AS last FROM ${liveViewName(liveness)}
    WHERE ${joinWithAnd([sql`kind = 'device'`, ofNetwork(wanted.network)])}
  ) AS h ON h.network_id = d.network_id AND h.id = d.device_id
  WHERE ${joinWithAnd([ifGiven(wanted.status, (word) => sql`status = ${bind('String', word)}`)])}`;

export const devicesCountQuery = (wanted: DevicesFilter, nowMs: number): Sql =>
  sql`SELECT count() AS total FROM (${matchingDevices(wanted, nowMs)})`;

export const devicesQuery = (wanted: DevicesFilter, nowMs: number, after = '0', limit: number): Sql => sql`
SELECT p.id AS id, p.name AS name, p.network_id AS network_id, n.name AS network_name, l.site_id AS site_id,
  s.name AS site_name, s.timezone AS site_timezone, p.location_id AS location_id, l.name AS location_name, p.status AS status,
  toUnixTimestamp64Milli(p.last) AS last_ms, p.total AS total
FROM (
  SELECT * FROM (SELECT *, count() OVER () AS total FROM (${matchingDevices(wanted, nowMs)}))
  WHERE id > ${bind('UInt64', after)} ORDER BY id LIMIT ${uint64(limit + 1)}
) AS p
LEFT JOIN (SELECT location_id, site_id, name FROM ${liveViewName(registryTables.locations)}) AS l
  ON l.location_id = p.location_id
LEFT JOIN (SELECT site_id, name, timezone FROM ${liveViewName(registryTables.sites)}) AS s ON s.site_id = l.site_id
LEFT JOIN (SELECT network_id, name FROM ${liveViewName(registryTables.networks)}) AS n ON n.network_id = p.network_id
ORDER BY id`;

export interface DeviceScreensRow {
  readonly device_id: number;
  readonly screens: readonly string[];
}

export const screensQuery = (devices: readonly number[], nowMs: number): Sql => sql`
SELECT device_id, arraySort(groupArray(screen_id)) AS screens
FROM (
  SELECT network_id, screen_id, argMax(device_id, valid_from) AS device_id FROM ${liveViewName(screenPlaces)}
  WHERE valid_from <= ${instantSql(nowMs)} AND (network_id, screen_id) IN (
    SELECT network_id, screen_id FROM ${liveViewName(screenPlaces)} WHERE device_id IN ${ids(devices)})
  GROUP BY network_id, screen_id
)
WHERE device_id IN ${ids(devices)} GROUP BY device_id`;

export interface FeederRow {
  readonly device_id: number;
  readonly id: number;
  readonly name: string;
  readonly status: DeviceStatus;
  readonly last_ms: number | null;
}

export const feedersQuery = (devices: readonly number[], nowMs: number): Sql => sql`
SELECT f.device_id AS device_id, f.feeder_id AS id, f.name AS name, ${status(sql`h.last`, nowMs)} AS status,
  toUnixTimestamp64Milli(h.last) AS last_ms
FROM (SELECT feeder_id, network_id, device_id, name FROM ${liveViewName(registryTables.feeders)}
  WHERE retired = 0 AND device_id IN ${ids(devices)}) AS f
LEFT JOIN (SELECT network_id, id, toNullable(last_received_at) AS last FROM ${liveViewName(liveness)}
  WHERE kind = 'feeder') AS h ON h.network_id = f.network_id AND h.id = f.feeder_id
ORDER BY id`;

export interface DeviceKey {
  readonly network: number;
  readonly device: number;
}

export const deviceNetworkQuery = (device: number): Sql =>
  sql`SELECT network_id FROM ${liveViewName(registryTables.devices)} WHERE device_id = ${uint64(device)} LIMIT 1`;

/** No row before the first batch of the projection `status`. */
export const statusAsOfQuery: Sql = sql`
SELECT toUnixTimestamp64Milli(min(as_of)) AS as_of_ms FROM ${liveViewName(progressView)} WHERE projection = 'status' HAVING count() > 0`;

const window = bind('Int64', onlineWindowMs);

/** Counts only heartbeats that affect the current status, as `classifyHeartbeat` does: those received within the online window of `at`. */
export const receiptsQuery = ({ network, device }: DeviceKey): Sql => sql`
SELECT
  (SELECT toUnixTimestamp64Milli(minOrNull(received_at)) FROM ${liveViewName(heartbeats)}
    WHERE network_id = ${uint64(network)} AND device_id = ${uint64(device)} AND feeder_id = 0
      AND abs(dateDiff('millisecond', at, received_at)) <= ${window}) AS first_ms,
  (SELECT toUnixTimestamp64Milli(maxOrNull(last_received_at)) FROM ${liveViewName(liveness)}
    WHERE network_id = ${uint64(network)} AND kind = 'device' AND id = ${uint64(device)}) AS last_ms`;

export const backfilledQuery = ({ network, device }: DeviceKey, { from, to }: Span): Sql => sql`
SELECT DISTINCT toUnixTimestamp64Milli(at) AS at_ms FROM ${liveViewName(backfilledHeartbeats)}
WHERE network_id = ${uint64(network)} AND kind = 'device' AND id = ${uint64(device)}
  AND at > ${instantSql(from - onlineWindowMs)} AND at < ${instantSql(to)}`;
