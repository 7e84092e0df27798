import { registryTables } from '@popsvc/contracts/tables';
import { bind, liveView, type Sql, sql } from '@popsvc/platform/read-store';
import { ofNetwork } from './of-network.ts';

/** Which of these networks are registered, and their names. The ids come from a proven credential. */
export const networksQuery = (ids: readonly number[]): Sql =>
  sql`SELECT network_id AS id, name FROM ${liveView(registryTables.networks)} WHERE network_id IN ${bind('Array(UInt64)', ids)}`;

/** Which of these sites the network has. */
export const sitesQuery = (network: number, ids: readonly number[]): Sql =>
  sql`SELECT site_id AS id FROM ${ofNetwork(registryTables.sites, network, [sql`site_id IN ${bind('Array(UInt64)', ids)}`])}`;
