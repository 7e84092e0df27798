import {
  bind,
  currentRows,
  joinWithAnd,
  liveViewName,
  type Sql,
  sql,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';

type Table = Pick<TableDefinition, 'name'>;
type Conditions = readonly (Sql | undefined)[];

/**
 * Returns `FROM` and `WHERE` of the rows of one network, which must come from the verified scope of the request. Every query
 * that answers a caller reads its rows through this function or `rowsOfNetworks`. `from` is the table to read instead of the
 * live view.
 */
export const rowsOfNetwork = (
  table: Table,
  network: number,
  conditions: Conditions = [],
  from: Sql = liveViewName(table),
): Sql => sql`${from} WHERE ${joinWithAnd([sql`network_id = ${bind('UInt64', network)}`, ...conditions])}`;

/** Like `rowsOfNetwork`, for several networks. `generation`: undefined reads the live view. */
export const rowsOfNetworks = (
  table: Table,
  networks: readonly number[],
  conditions: Conditions = [],
  generation?: number,
): Sql =>
  sql`${currentRows(table, generation)} WHERE ${joinWithAnd([sql`network_id IN ${bind('Array(UInt64)', networks)}`, ...conditions])}`;
