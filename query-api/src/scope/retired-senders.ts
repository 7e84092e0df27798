import type { ApiKeyPrincipal, RetiredSender } from '@popsvc/platform/auth';
import { bind, fewRows, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import { LRUCache } from 'lru-cache';
import type { ReadRegistry } from '../shards/shards.ts';

const [cacheMs, maxCached] = [2_000, 10_000];

/**
 * Creates a function that finds in the registry's read model whether the network and the vendor of an API key are retired. Results
 * are cached for two seconds, or longer while ClickHouse does not respond.
 */
export const createRetiredSenders = (
  readRegistry: ReadRegistry,
): ((key: ApiKeyPrincipal) => Promise<RetiredSender>) => {
  const senders = new LRUCache<string, RetiredSender, ApiKeyPrincipal>({
    max: maxCached,
    ttl: cacheMs,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(_, _stale, { context }) {
      const [row] = await readRegistry<{ network: number; vendor: number }>(retiredQuery(context), context.network);
      return { network: row?.network === 1, vendor: row?.vendor === 1 };
    },
  });
  return (key) => senders.forceFetch(`${key.network}/${key.vendor}`, { context: key });
};

const retiredQuery = ({ network, vendor }: ApiKeyPrincipal): Sql => sql`
SELECT
  (SELECT max(retired) FROM ${liveViewName(registryTables.networks)}
   WHERE network_id = ${bind('UInt64', network)}) AS network,
  (SELECT max(retired) FROM ${liveViewName(registryTables.vendors)}
   WHERE code = ${bind('String', vendor)}) AS vendor
${fewRows}`;
