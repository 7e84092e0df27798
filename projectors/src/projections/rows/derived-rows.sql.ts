import { generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { spanMs } from './fact-rows.ts';

/** Builds SQL that makes a row for each five-minute span that [from, to) overlaps. Arguments: SQL in ms since 1970. */
export const overlappedSpans = (fromMs: string, toMs: string): string =>
  `arrayJoin(range(toUInt32(intDiv(${fromMs}, ${spanMs})),
                    toUInt32(intDiv(${toMs} - 1, ${spanMs})) + 1))`;

/**
 * Builds the SQL of a row's `number`: a hash of the row's identity with 53 bits, which JSON numbers hold exactly. The number orders
 * rows of the same millisecond and is DETAILID in reports. A replay gives the same number, because it depends on the identity only.
 */
export const rowNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;

/**
 * Builds the SQL of `clipped_starts` and `clipped_ends`, in ms since 1970: watch intervals clipped to [from, to), of which those with
 * a gap of up to `gap` ms are merged. `starts` and `ends` must be sorted and without overlaps.
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
  /** Each column of the table and its SQL expression. */
  readonly values: Readonly<Record<string, string>>;
  readonly from: string;
  /** The stored rows that the new rows replace. */
  readonly replaces: {
    /** Temporary table with the affected facts. */
    readonly affected: string;
    /** Column of the temporary table that becomes `ts`. */
    readonly ts: string;
    /** Columns that identify a fact in the temporary table and in the replaced rows. */
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
 * Statement that replaces the derived rows of the affected facts: it inserts the new rows (version 2 × upTo + 1) and a tombstone
 * (version 2 × upTo) for each stored row. A new row has a higher version than the tombstone of its key, so only rows without a new row
 * disappear. The settings keep all of it in one block, which ClickHouse inserts atomically: a reader sees the old rows or the new ones.
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
