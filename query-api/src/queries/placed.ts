import { registryTables } from '@popsvc/read-models/tables';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';
import { ofNetworks } from './of-network.ts';

/** What is asked for in a scope; an empty list leaves nothing out. */
export interface Placed {
  readonly networks: readonly number[];
  readonly siteIds?: readonly number[];
  readonly locationIds?: readonly number[];
  /** Of the registry's tables; without it, the live one. */
  readonly registry?: number | undefined;
}

const oneOf = (column: Sql, ids: readonly number[] = []): Sql | undefined =>
  ids.length > 0 ? sql`${column} IN ${bind('Array(UInt64)', ids)}` : undefined;

/**
 * Devices as `d`, with where they are now as `l`, `s` and `n`. Joined from the registry's own rows, not looked up in
 * dictionaries: those are read again a moment after the rows are there, and a place without its name is no answer.
 */
export const devicesPlaced = (
  { networks, siteIds, locationIds, registry }: Placed,
  conditions: readonly (Sql | undefined)[] = [],
): Sql => sql`
  (SELECT device_id, network_id, location_id, name, retired
    FROM ${ofNetworks(registryTables.devices, networks, [oneOf(sql`location_id`, locationIds), ...conditions], registry)}) AS d
  INNER JOIN (SELECT location_id, site_id, name
    FROM ${ofNetworks(registryTables.locations, networks, [oneOf(sql`site_id`, siteIds)], registry)}) AS l
    ON l.location_id = d.location_id
  INNER JOIN (SELECT site_id, name FROM ${ofNetworks(registryTables.sites, networks, [], registry)}) AS s ON s.site_id = l.site_id
  INNER JOIN (SELECT network_id, name FROM ${ofNetworks(registryTables.networks, networks, [], registry)}) AS n
    ON n.network_id = d.network_id`;

/** `{ "id": …, "name": … }` in an answer. */
export const named = (id: Sql, name: Sql): Sql => sql`CAST((${id}, ${name}), 'Tuple(id UInt64, name String)')`;

/** The columns that name where a device is. */
export const placeColumns: Sql = sql`${named(sql`n.network_id`, sql`n.name`)} AS network,
  ${named(sql`s.site_id`, sql`s.name`)} AS site, ${named(sql`l.location_id`, sql`l.name`)} AS location`;
