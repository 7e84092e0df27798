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
 * Returns the `FROM` and `WHERE` clauses that select the rows of one network. `network` must come from the verified scope of the
 * request. Every query that returns data to a caller must use this function or `rowsOfNetworks`, so that rows of other networks
 * cannot leak. If `from` is given, the rows come from it and not from the live view of the table.
 */
export const rowsOfNetwork = (
  table: Table,
  network: number,
  conditions: Conditions = [],
  from: Sql = liveViewName(table),
): Sql => sql`${from} WHERE ${joinWithAnd([sql`network_id = ${bind('UInt64', network)}`, ...conditions])}`;

/** Like `rowsOfNetwork`, but for several networks. `generation` is the generation to read; by default, the live one. */
export const rowsOfNetworks = (
  table: Table,
  networks: readonly number[],
  conditions: Conditions = [],
  generation?: number,
): Sql =>
  sql`${currentRows(table, generation)} WHERE ${joinWithAnd([sql`network_id IN ${bind('Array(UInt64)', networks)}`, ...conditions])}`;
