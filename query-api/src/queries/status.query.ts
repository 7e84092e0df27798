import { liveness, registryTables } from '@popsvc/read-models/tables';
import type { LivenessKind } from '@popsvc/contracts/vocabulary';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import { ofNetworks } from './of-network.ts';
import { devicesPlaced, named, placeColumns, type Placed } from './placed.ts';

export interface StatusAsked extends Placed {
  /** Undefined: all of them. */
  readonly id?: number;
  /** Of the tables of status; without it, the live one. */
  readonly status?: number | undefined;
}

const notRetired = sql`retired = 0`;
const isId = (column: Sql, id: number | undefined): Sql | undefined =>
  id === undefined ? undefined : sql`${column} = ${bind('UInt64', id)}`;

const heard = (kind: LivenessKind, { networks, id, status }: StatusAsked): Sql => sql`
  (SELECT network_id, id, toNullable(last_received_at) AS last
    FROM ${ofNetworks(liveness, networks, [sql`kind = ${bind('String', kind)}`, isId(sql`id`, id)], status)}) AS h`;

const statusColumns = (nowMs: number): Sql => sql`
  if(${isOnlineSql(sql`h.last`, nowMs)}, 'online', 'offline') AS status,
  h.last AS last_active_timestamp, 'heartbeat' AS source`;

/** Devices as their partners are told of them, by id: a row each, in the form of the answer (service.md 2.2). */
const deviceStatus = (asked: StatusAsked, nowMs: number): Sql => sql`
SELECT d.device_id AS id, d.name AS name, ${placeColumns}, ${statusColumns(nowMs)}
FROM ${devicesPlaced(asked, [notRetired, isId(sql`device_id`, asked.id)])}
LEFT JOIN ${heard('device', asked)} ON h.network_id = d.network_id AND h.id = d.device_id
ORDER BY id`;

/** Feeders are where their device is; retired ones are left out, those of a retired device are not. */
const feederStatus = (asked: StatusAsked, nowMs: number): Sql => {
  const { networks, id, registry } = asked;
  const feeders = ofNetworks(registryTables.feeders, networks, [notRetired, isId(sql`feeder_id`, id)], registry);
  // Said of the devices too, so that one feeder costs what one costs.
  const itsDevice = id === undefined ? undefined : sql`device_id IN (SELECT device_id FROM ${feeders})`;
  return sql`
SELECT f.feeder_id AS id, f.name AS name, ${placeColumns}, ${statusColumns(nowMs)},
  ${named(sql`d.device_id`, sql`d.name`)} AS device
FROM ${devicesPlaced(asked, [itsDevice])}
INNER JOIN (SELECT feeder_id, network_id, device_id, name FROM ${feeders}) AS f ON f.device_id = d.device_id
LEFT JOIN ${heard('feeder', asked)} ON h.network_id = f.network_id AND h.id = f.feeder_id
ORDER BY id`;
};

export const statusQueries: Readonly<Record<LivenessKind, (asked: StatusAsked, nowMs: number) => Sql>> = {
  device: deviceStatus,
  feeder: feederStatus,
};
