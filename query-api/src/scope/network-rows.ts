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
 * Restricts rows to one network, as `rowsOfNetworks` does to several: no response may show rows of other networks. `network` must come from
 * the verified scope. `from`: by default, the live view.
 */
export const rowsOfNetwork = (
  table: Table,
  network: number,
  conditions: Conditions = [],
  from: Sql = liveViewName(table),
): Sql => sql`${from} WHERE ${joinWithAnd([sql`network_id = ${numberSql(network)}`, ...conditions])}`;

/** `generation`: by default, the live one. */
export const rowsOfNetworks = (
  table: Table,
  networks: readonly number[],
  conditions: Conditions,
  generation?: number,
): Sql =>
  sql`${currentRows(table, generation)} WHERE ${joinWithAnd([sql`network_id IN ${bind('Array(UInt64)', networks)}`, ...conditions])}`;
