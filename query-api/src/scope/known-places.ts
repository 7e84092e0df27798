import type { Reader } from '@popsvc/platform/read-store';
import { LRUCache } from 'lru-cache';
import { networksQuery, sitesQuery } from '../queries/index.ts';

/** What the registry's read model says of networks and sites; what it knew is believed for a moment, what it did not know never. */
export interface KnownPlaces {
  /** Names of those that are registered, by id. */
  networks(ids: readonly number[]): Promise<ReadonlyMap<number, string>>;
  hasSites(network: number, siteIds: readonly number[]): Promise<boolean>;
}

const believedMs = 2_000;
const remembered = 10_000;

export const knownPlaces = (reader: Reader): KnownPlaces => {
  const networks = new LRUCache<number, string>({ max: remembered, ttl: believedMs });
  const sites = new LRUCache<string, true>({ max: remembered, ttl: believedMs });
  const keyOf = (network: number, site: number) => `${network}/${site}`;
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
    async hasSites(network, siteIds) {
      const asked = siteIds.filter((site) => !sites.has(keyOf(network, site)));
      if (asked.length === 0) return true;
      const rows = await reader.rows<{ id: number }>(sitesQuery(network, asked));
      for (const { id } of rows) sites.set(keyOf(network, id), true);
      return asked.every((site) => sites.has(keyOf(network, site)));
    },
  };
};
