import type { ApiKeyPrincipal, RetiredSender } from '@popsvc/http-kit/auth';
import { bind, fewRows, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { registryTables } from '@popsvc/read-models/tables';
import type { ReadRegistry } from '../shards/shards.ts';

/** If the registry cannot be read, the function returns its last result for the same sender, and throws without one. */
export const createRetiredSenders =
  (readRegistry: ReadRegistry): ((key: ApiKeyPrincipal) => Promise<RetiredSender>) =>
  async (sender) => {
    const { network, vendor } = sender;
    const query = { key: `retired ${network} ${vendor}`, query: retiredQuery(sender), allowsStale: true };
    const [row] = await readRegistry<{ network: number; vendor: number }>(query, network);
    return { network: row?.network === 1, vendor: row?.vendor === 1 };
  };

const retiredQuery = ({ network, vendor }: ApiKeyPrincipal): Sql => sql`
SELECT
  (SELECT max(retired) FROM ${liveViewName(registryTables.networks)}
   WHERE network_id = ${bind('UInt64', network)}) AS network,
  (SELECT max(retired) FROM ${liveViewName(registryTables.vendors)}
   WHERE code = ${bind('String', vendor)}) AS vendor
${fewRows}`;
