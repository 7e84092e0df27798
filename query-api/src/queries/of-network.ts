import {
  joinWithAnd,
  bind,
  liveViewName,
  type Sql,
  sql,
  currentRows,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';

/**
 * The rows of one network, and no others: what every query that answers a caller reads from, unless told otherwise those that
 * are live. The network is that of the request's proven scope, never one the caller names.
 */
export const ofNetwork = (
  table: Pick<TableDefinition, 'name'>,
  network: number,
  conditions: readonly (Sql | undefined)[] = [],
  from: Sql = liveViewName(table),
): Sql => sql`${from} WHERE ${joinWithAnd([sql`network_id = ${bind('UInt64', network)}`, ...conditions])}`;

/** The same for the networks of a scope that has several. */
export const ofNetworks = (
  table: Pick<TableDefinition, 'name'>,
  networks: readonly number[],
  conditions: readonly (Sql | undefined)[] = [],
  generation?: number,
): Sql =>
  sql`${currentRows(table, generation)} WHERE ${joinWithAnd([sql`network_id IN ${bind('Array(UInt64)', networks)}`, ...conditions])}`;

export { instantSql } from '@popsvc/platform/clickhouse';
