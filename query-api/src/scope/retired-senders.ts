import type { ApiKeyPrincipal, RetiredSender } from '@popsvc/platform/auth';
import { bind, fewRows, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import { LRUCache } from 'lru-cache';
import type { ReadRegistry } from '../shards/shards.ts';

const maxKnown = 10_000;

/**
 * Creates a function that finds in the registry's read model whether the network and the vendor of an API key are retired. While
 * ClickHouse does not respond, it returns what it found last.
 */
export const createRetiredSenders = (
  readRegistry: ReadRegistry,
): ((key: ApiKeyPrincipal) => Promise<RetiredSender>) => {
  const known = new LRUCache<string, RetiredSender>({ max: maxKnown });
  return async (sender) => {
    const key = `retired ${sender.network} ${sender.vendor}`;
    try {
      const query = { key, query: retiredQuery(sender) };
      const [row] = await readRegistry<{ network: number; vendor: number }>(query, sender.network);
      const found = { network: row?.network === 1, vendor: row?.vendor === 1 };
      known.set(key, found);
      return found;
    } catch (error) {
      const last = known.get(key);
      if (last) return last;
      throw error;
    }
  };
};

const retiredQuery = ({ network, vendor }: ApiKeyPrincipal): Sql => sql`
SELECT
  (SELECT max(retired) FROM ${liveViewName(registryTables.networks)}
   WHERE network_id = ${bind('UInt64', network)}) AS network,
  (SELECT max(retired) FROM ${liveViewName(registryTables.vendors)}
   WHERE code = ${bind('String', vendor)}) AS vendor
${fewRows}`;
