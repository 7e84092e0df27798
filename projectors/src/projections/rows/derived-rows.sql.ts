import { generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { spanMs } from './fact-rows.ts';

/**
 * Builds SQL that yields one row for each five-minute span that [from, to) overlaps. The arguments are SQL expressions, in ms
 * since 1970.
 */
export const overlappedSpans = (fromMs: string, toMs: string): string =>
  `arrayJoin(range(toUInt32(intDiv(${fromMs}, ${spanMs})),
                    toUInt32(intDiv(${toMs} - 1, ${spanMs})) + 1))`;

/**
 * Builds the SQL expression for a row's `number`: a hash of the row's identity, cut to 53 bits, which JSON numbers represent
 * exactly. The number orders rows with the same timestamp and is the column DETAILID in reports. A replay gives the same
 * number, because the number depends only on the identity.
 */
export const rowNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;

/**
 * Builds the SQL of the arrays `clipped_starts` and `clipped_ends`, in ms since 1970. Merges watch intervals with a gap of up
 * to `gap` ms between them, then clips the result to [from, to). `starts` and `ends` must be sorted and must not overlap.
 */
export const clippedWatches = (starts: string, ends: string, gap: string, from: string, to: string): string => `
        arrayMap(t -> toUnixTimestamp64Milli(t), ${starts}) AS starts_ms,
        arrayMap(t -> toUnixTimestamp64Milli(t), ${ends}) AS ends_ms,
        arrayMap(i -> i > 1 AND starts_ms[i] - ends_ms[i - 1] > ${gap}, arrayEnumerate(starts_ms)) AS breaks,
        arrayMap(part -> greatest(part[1], ${from}), arraySplit((s, b) -> b, starts_ms, breaks)) AS merged_starts,
        arrayMap(part -> least(part[-1], ${to}), arraySplit((e, b) -> b, ends_ms, breaks)) AS merged_ends,
        arrayFilter((f, t) -> t > f, merged_starts, merged_ends) AS clipped_starts,
        arrayFilter((t, f) -> t > f, merged_ends, merged_starts) AS clipped_ends`;

export interface DerivedRows {
  readonly table: TableDefinition;
  readonly generation: number;
  readonly values: Readonly<Record<string, string>>;
  readonly from: string;
  /** The stored rows that the new rows replace. */
  readonly replaces: {
    /** Temporary table with the keys of the affected facts. */
    readonly affected: string;
    /** Column of the temporary table that corresponds to the column `ts` of the derived rows. */
    readonly ts: string;
    /** Columns that identify a fact, with the same names in the temporary table and in the rows to replace. */
    readonly identity: readonly string[];
  };
}

const tombstones = (
  physicalTable: string,
  columns: string,
  { affected, ts, identity }: DerivedRows['replaces'],
): string => `UNION ALL
  SELECT * REPLACE (2 * {upTo:UInt64} AS version, 1 AS is_deleted) FROM (
    SELECT ${columns} FROM ${physicalTable} FINAL
    WHERE (network_id, ts) IN (SELECT network_id, ${ts} FROM ${affected})
    AND (${identity.join(', ')}) IN (SELECT ${identity.join(', ')} FROM ${affected}))`;

/**
 * Builds the statement that replaces the derived rows of the affected facts. It inserts the new rows (version 2 × upTo + 1)
 * and, for each stored row, a tombstone (version 2 × upTo). A new row overrides the tombstone with the same key, so only
 * stored rows without a new row disappear. The settings keep all inserted rows in one block, which ClickHouse inserts
 * atomically: a reader sees either the old or the new rows.
 */
export const insertDerivedRows = ({ table, generation, values, from, replaces }: DerivedRows): string => {
  const physicalTable = generationTable(table, generation);
  const columns = Object.keys(values).join(', ');
  return `
  INSERT INTO ${physicalTable} (${columns})
  SELECT ${Object.entries(values)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(',\n    ')}
  FROM ${from}
  ${tombstones(physicalTable, columns, replaces)}
  SETTINGS min_insert_block_size_rows = 10000000, min_insert_block_size_bytes = 0, max_block_size = 10000000`;
};
