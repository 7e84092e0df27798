import { registryTables } from '@popsvc/read-models/tables';
import { bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { ofNetworks } from './of-network.ts';

/** Which of these networks are registered, and their names. The ids come from a proven credential. */
export const networksQuery = (ids: readonly number[]): Sql =>
  sql`SELECT network_id AS id, name FROM ${liveViewName(registryTables.networks)} WHERE network_id IN ${bind('Array(UInt64)', ids)}`;

const keys = { sites: sql`site_id`, locations: sql`location_id` };
export type PlaceKind = keyof typeof keys;

/** Which of these sites or locations the networks have. */
export const placesQuery = (kind: PlaceKind, networks: readonly number[], ids: readonly number[]): Sql =>
  sql`SELECT ${keys[kind]} AS id, network_id AS network
    FROM ${ofNetworks(registryTables[kind], networks, [sql`${keys[kind]} IN ${bind('Array(UInt64)', ids)}`])}`;
