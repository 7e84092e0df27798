import {
  bind,
  currentRows,
  joinWithAnd,
  liveViewName,
  numberSql,
  type Sql,
  sql,
  type TableDefinition,
} from '@popsvc/platform/clickhouse';

type Table = Pick<TableDefinition, 'name'>;
type Conditions = readonly (Sql | undefined)[];

/**
 * Returns the part of a query after `FROM`: the source and a `WHERE` clause that selects the rows of one network. `network` must come from
 * the request's verified scope. To prevent leaks of other networks' rows, a query whose rows are sent to a caller must select them with
 * this function or `rowsOfNetworks`, directly or in a subquery. By default, the source is the view of the table's live generation; `from`
 * replaces it.
 */
export const rowsOfNetwork = (
  table: Table,
  network: number,
  conditions: Conditions = [],
  from: Sql = liveViewName(table),
): Sql => sql`${from} WHERE ${joinWithAnd([sql`network_id = ${numberSql(network)}`, ...conditions])}`;

/** Like `rowsOfNetwork`, but for several networks. `generation` is the generation to read; by default, the live one. */
export const rowsOfNetworks = (
  table: Table,
  networks: readonly number[],
  conditions: Conditions,
  generation?: number,
): Sql =>
  sql`${currentRows(table, generation)} WHERE ${joinWithAnd([sql`network_id IN ${bind('Array(UInt64)', networks)}`, ...conditions])}`;
