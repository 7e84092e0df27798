import { generationTable, type TableDefinition } from '@popsvc/platform/clickhouse';
import { spanMs } from './fact-rows.ts';

/** SQL that makes a row for each five-minute span which [from, to) overlaps; both are expressions in ms since 1970. */
export const overlappedSpans = (fromMs: string, toMs: string): string =>
  `arrayJoin(range(toUInt32(intDiv(${fromMs}, ${spanMs})),
                    toUInt32(intDiv(${toMs} - 1, ${spanMs})) + 1))`;

/**
 * SQL of a row's `number`: 53 bits (exact in JSON) hashed from the row's identity. It orders rows of one millisecond and is DETAILID in
 * reports. It depends on nothing else, so a replay or another order of arrival gives the same number.
 */
export const rowNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;

/**
 * SQL of `clipped_starts` and `clipped_ends`: watch intervals with gaps of up to `gap` ms closed, clipped to [from, to), in ms since
 * 1970. The arrays must be sorted and free of overlaps, so that only adjacent intervals can be merged.
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
  /** The rows to replace. */
  readonly replaces: {
    /** The temporary table of the affected facts. */
    readonly affected: string;
    /** Its column that becomes `ts`. */
    readonly ts: string;
    /** The columns that identify a fact, in both tables. */
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
 * (version 2 × upTo) for each row stored so far. A new row outweighs the tombstone of its key, so unchanged keys stay and vanished keys
 * go. The settings keep all of it in one block, which ClickHouse inserts atomically: a reader sees the old rows or the new ones.
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
