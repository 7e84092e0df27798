import { instantSql, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import { liveness, quarantine, registryTables, vendorBalance } from '@popsvc/read-models/tables';

export interface NetworkDevicesRow {
  readonly network_id: number;
  readonly devices: number;
  readonly online: number;
  readonly last_ms: number | null;
}

export const networkDevicesQuery = (nowMs: number): Sql => sql`
SELECT d.network_id AS network_id, count() AS devices, countIf(${isOnlineSql(sql`h.last`, nowMs)}) AS online,
  toUnixTimestamp64Milli(max(h.last)) AS last_ms
FROM (SELECT network_id, device_id FROM ${liveViewName(registryTables.devices)} WHERE retired = 0) AS d
LEFT JOIN (SELECT network_id, id, toNullable(last_received_at) AS last
  FROM ${liveViewName(liveness)} WHERE kind = 'device') AS h ON h.network_id = d.network_id AND h.id = d.device_id
GROUP BY d.network_id`;

export interface NetworkPlaysRow {
  readonly network_id: number;
  readonly plays: number;
  /** Start of the newest hour in which plays of any outcome, such as duplicates, were received. */
  readonly hour_ms: number;
}

export const networkPlaysQuery = (fromMs: number): Sql => sql`
SELECT network_id, sum(stored) AS plays, toUnixTimestamp64Milli(max(hour)) AS hour_ms
FROM ${liveViewName(vendorBalance)} WHERE hour >= ${instantSql(fromMs)} GROUP BY network_id`;

export interface NetworkQuarantineRow {
  readonly network_id: number;
  readonly events: number;
}

export const networkQuarantineQuery: Sql = sql`
SELECT network_id, count() AS events FROM ${liveViewName(quarantine)} WHERE state = 'waiting' GROUP BY network_id`;
