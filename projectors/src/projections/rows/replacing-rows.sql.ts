import { generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';

export interface ReplacingRows {
  readonly table: TableDefinition;
  readonly generation: number;
  /** Each column of the table and the SQL it is made of. */
  readonly values: Readonly<Record<string, string>>;
  readonly from: string;
  /** Rows to give way: (network_id, ts) they may stand under, and the identity they share with the table `affected`. None: there are none yet. */
  readonly affected?: { readonly keys: string; readonly identity: readonly string[] };
}

const tombstones = (
  physical: string,
  columns: string,
  { keys, identity }: NonNullable<ReplacingRows['affected']>,
): string => `UNION ALL
  SELECT * REPLACE (2 * {upTo:UInt64} AS version, 1 AS is_deleted) FROM (
    SELECT ${columns} FROM ${physical} FINAL
    WHERE (network_id, ts) IN (${keys})
    AND (${identity.join(', ')}) IN (SELECT ${identity.join(', ')} FROM affected))`;

/**
 * Rows as they should be, and a tombstone under every row the affected facts had. All in one block, where a row outweighs
 * the tombstone of its key: what stays stays, what vanished goes, and readers never see the state between.
 */
export const replacingRows = ({ table, generation, values, from, affected }: ReplacingRows): string => {
  const physical = generationTable(table, generation);
  const columns = Object.keys(values).join(', ');
  const gone = affected && tombstones(physical, columns, affected);
  return `
  INSERT INTO ${physical} (${columns})
  SELECT ${Object.entries(values)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(',\n    ')}
  FROM ${from}
  ${gone ?? ''}
  SETTINGS min_insert_block_size_rows = 10000000, min_insert_block_size_bytes = 0, max_block_size = 10000000`;
};
