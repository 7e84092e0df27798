import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { LRUCache } from 'lru-cache';
import { networksQuery, type PlaceKind, placesQuery } from '../queries/index.ts';

/** What the registry's read model says of networks, sites and locations; what it knew is believed for a moment, what it did not know never. */
export interface KnownPlaces {
  /** Names of those that are registered, by id. */
  networks(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Whether all of these belong to one of the networks. */
  have(networks: readonly number[], kind: PlaceKind, ids: readonly number[]): Promise<boolean>;
}

interface Home {
  readonly id: number;
  readonly network: number;
}

const believedMs = 2_000;
const remembered = 10_000;

export const knownPlaces = (reader: ClickHouseReader): KnownPlaces => {
  const networks = new LRUCache<number, string>({ max: remembered, ttl: believedMs });
  /** Network by kind and id; nothing ever moves to another. */
  const homes = new LRUCache<string, number>({ max: remembered, ttl: believedMs });
  return {
    async networks(ids) {
      const found = new Map<number, string>();
      const asked = ids.filter((id) => {
        const name = networks.get(id);
        if (name !== undefined) found.set(id, name);
        return name === undefined;
      });
      if (asked.length > 0)
        for (const { id, name } of await reader.rows<{ id: number; name: string }>(networksQuery(asked))) {
          networks.set(id, name);
          found.set(id, name);
        }
      return found;
    },
    async have(networks, kind, ids) {
      const asked = ids.filter((id) => {
        const home = homes.get(`${kind}/${id}`);
        return home === undefined || !networks.includes(home);
      });
      if (asked.length === 0) return true;
      const found = await reader.rows<Home>(placesQuery(kind, networks, asked));
      for (const { id, network } of found) homes.set(`${kind}/${id}`, network);
      return found.length === asked.length;
    },
  };
};
