import { bind, type ClickHouseReader, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import { LRUCache } from 'lru-cache';
import { rowsOfNetworks } from './network-rows.ts';

/** Networks, sites and locations of the registry's read model. Only found entries are cached, for two seconds. */
export interface PlaceLookup {
  /** Names of the registered ones of these networks, by id. */
  readNetworkNames(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Whether each of these places belongs to one of the networks. */
  belongToNetworks(networks: readonly number[], kind: PlaceKind, ids: readonly number[]): Promise<boolean>;
}

const idColumns = { sites: sql`site_id`, locations: sql`location_id` };
type PlaceKind = keyof typeof idColumns;

const [cacheMs, maxCached] = [2_000, 10_000];

export const createPlaceLookup = (reader: ClickHouseReader): PlaceLookup => {
  const names = new LRUCache<number, string>({ max: maxCached, ttl: cacheMs });
  /** Network by kind and id of a place. A place never moves to another network. */
  const networkByPlace = new LRUCache<string, number>({ max: maxCached, ttl: cacheMs });
  return {
    async readNetworkNames(ids) {
      const found = new Map<number, string>();
      const uncached = ids.filter((id) => {
        const name = names.get(id);
        if (name !== undefined) found.set(id, name);
        return name === undefined;
      });
      if (uncached.length > 0)
        for (const { id, name } of await reader.rows<{ id: number; name: string }>(networkNamesQuery(uncached))) {
          names.set(id, name);
          found.set(id, name);
        }
      return found;
    },
    async belongToNetworks(networks, kind, ids) {
      const uncached = ids.filter((id) => {
        const network = networkByPlace.get(`${kind}/${id}`);
        return network === undefined || !networks.includes(network);
      });
      if (uncached.length === 0) return true;
      const found = await reader.rows<{ id: number; network: number }>(placesQuery(kind, networks, uncached));
      for (const { id, network } of found) networkByPlace.set(`${kind}/${id}`, network);
      return found.length === uncached.length;
    },
  };
};

/** The ids come from a verified credential. */
const networkNamesQuery = (ids: readonly number[]): Sql => sql`
SELECT network_id AS id, name FROM ${liveViewName(registryTables.networks)}
WHERE network_id IN ${bind('Array(UInt64)', ids)}`;

const placesQuery = (kind: PlaceKind, networks: readonly number[], ids: readonly number[]): Sql => sql`
SELECT ${idColumns[kind]} AS id, network_id AS network
FROM ${rowsOfNetworks(registryTables[kind], networks, [sql`${idColumns[kind]} IN ${bind('Array(UInt64)', ids)}`])}`;
