import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import { rowsOfNetworks } from './network-rows.ts';

/** An empty list of sites or locations does not restrict the selection. */
export interface DeviceSelection {
  readonly networks: readonly number[];
  readonly siteIds?: readonly number[];
  readonly locationIds?: readonly number[];
  /** Generation of the registry tables; by default, the live one. */
  readonly registry?: number | undefined;
}

const isOneOf = (column: Sql, ids: readonly number[] = []): Sql | undefined =>
  ids.length > 0 ? sql`${column} IN ${bind('Array(UInt64)', ids)}` : undefined;

/** Joins tables instead of using ClickHouse dictionaries, because a dictionary lacks a new place until its next reload. */
export const devicesWithPlaces = (
  { networks, siteIds, locationIds, registry }: DeviceSelection,
  conditions: readonly (Sql | undefined)[],
): Sql => sql`
  (SELECT device_id, network_id, location_id, name, retired
    FROM ${rowsOfNetworks(registryTables.devices, networks, [isOneOf(sql`location_id`, locationIds), ...conditions], registry)}) AS d
  INNER JOIN (SELECT location_id, site_id, name
    FROM ${rowsOfNetworks(registryTables.locations, networks, [isOneOf(sql`site_id`, siteIds)], registry)}) AS l
    ON l.location_id = d.location_id
  INNER JOIN (SELECT site_id, name FROM ${rowsOfNetworks(registryTables.sites, networks, [], registry)}) AS s
    ON s.site_id = l.site_id
  INNER JOIN (SELECT network_id, name FROM ${rowsOfNetworks(registryTables.networks, networks, [], registry)}) AS n
    ON n.network_id = d.network_id`;

/** ClickHouse writes the value as the JSON object `{ "id": …, "name": … }`. */
export const idAndName = (id: Sql, name: Sql): Sql => sql`CAST((${id}, ${name}), 'Tuple(id UInt64, name String)')`;

/** Uses the aliases of `devicesWithPlaces`. */
export const devicePlaceColumns: Sql = sql`${idAndName(sql`n.network_id`, sql`n.name`)} AS network,
  ${idAndName(sql`s.site_id`, sql`s.name`)} AS site, ${idAndName(sql`l.location_id`, sql`l.name`)} AS location`;
