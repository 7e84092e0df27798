import type { LivenessKind } from '@popsvc/contracts/vocabulary';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import { liveness, registryTables } from '@popsvc/read-models/tables';
import { devicePlaceColumns, type DeviceSelection, devicesWithPlaces, idAndName } from '../scope/device-places.ts';
import { rowsOfNetworks } from '../scope/network-rows.ts';

export interface StatusSelection extends DeviceSelection {
  readonly id?: number;
  /** Generation of the status tables; by default, the live one. */
  readonly status?: number | undefined;
}

const isActive = sql`retired = 0`;
const hasId = (column: Sql, id: number | undefined): Sql | undefined =>
  id === undefined ? undefined : sql`${column} = ${bind('UInt64', id)}`;

const lastHeartbeats = (kind: LivenessKind, { networks, id, status }: StatusSelection): Sql => sql`
  (SELECT network_id, id, toNullable(last_received_at) AS last
    FROM ${rowsOfNetworks(liveness, networks, [sql`kind = ${bind('String', kind)}`, hasId(sql`id`, id)], status)}) AS h`;

const statusColumns = (nowMs: number): Sql => sql`
  if(${isOnlineSql(sql`h.last`, nowMs)}, 'online', 'offline') AS status,
  h.last AS last_active_timestamp, 'heartbeat' AS source`;

const queryDeviceStatus = (selection: StatusSelection, nowMs: number): Sql => sql`
SELECT d.device_id AS id, d.name AS name, ${devicePlaceColumns}, ${statusColumns(nowMs)}
FROM ${devicesWithPlaces(selection, [isActive, hasId(sql`device_id`, selection.id)])}
LEFT JOIN ${lastHeartbeats('device', selection)} ON h.network_id = d.network_id AND h.id = d.device_id
ORDER BY id`;

/** Omits retired feeders, but includes feeders of retired devices. */
const queryFeederStatus = (selection: StatusSelection, nowMs: number): Sql => {
  const { networks, id, registry } = selection;
  const feeders = rowsOfNetworks(registryTables.feeders, networks, [isActive, hasId(sql`feeder_id`, id)], registry);
  // Without this condition, the query for a single feeder would read all devices.
  const isItsDevice = id === undefined ? undefined : sql`device_id IN (SELECT device_id FROM ${feeders})`;
  return sql`
SELECT f.feeder_id AS id, f.name AS name, ${devicePlaceColumns}, ${statusColumns(nowMs)},
  ${idAndName(sql`d.device_id`, sql`d.name`)} AS device
FROM ${devicesWithPlaces(selection, [isItsDevice])}
INNER JOIN (SELECT feeder_id, network_id, device_id, name FROM ${feeders}) AS f ON f.device_id = d.device_id
LEFT JOIN ${lastHeartbeats('feeder', selection)} ON h.network_id = f.network_id AND h.id = f.feeder_id
ORDER BY id`;
};

/** Sorted by id. Each row has the structure of an item in the response. */
export const statusQueries: Readonly<Record<LivenessKind, (selection: StatusSelection, nowMs: number) => Sql>> = {
  device: queryDeviceStatus,
  feeder: queryFeederStatus,
};
