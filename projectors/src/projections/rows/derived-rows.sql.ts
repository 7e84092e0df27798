import { generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';

/** A number of 53 bits made of an identity: page order within a millisecond, and DETAILID. Replays and arrival order do not change it. */
export const projectedNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;

/**
 * Looks with gaps up to `gap` ms closed, cut to [from, to): `look_starts` and `look_ends` in ms since 1970.
 * The arrays given are sorted and do not overlap, so only neighbours can be joined.
 */
export const cutLooks = (starts: string, ends: string, gap: string, from: string, to: string): string => `
        arrayMap(t -> toUnixTimestamp64Milli(t), ${starts}) AS starts_ms,
        arrayMap(t -> toUnixTimestamp64Milli(t), ${ends}) AS ends_ms,
        arrayMap(i -> i > 1 AND starts_ms[i] - ends_ms[i - 1] > ${gap}, arrayEnumerate(starts_ms)) AS breaks,
        arrayMap(look -> greatest(look[1], ${from}), arraySplit((s, b) -> b, starts_ms, breaks)) AS merged_starts,
        arrayMap(look -> least(look[-1], ${to}), arraySplit((e, b) -> b, ends_ms, breaks)) AS merged_ends,
        arrayFilter((f, t) -> t > f, merged_starts, merged_ends) AS look_starts,
        arrayFilter((t, f) -> t > f, merged_ends, merged_starts) AS look_ends`;

interface ReplacingRows {
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
