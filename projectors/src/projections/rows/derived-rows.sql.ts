import { generationTable } from '@popsvc/platform/clickhouse';
import { contentOf } from '../../engine/compared-columns.ts';
import { type DerivedTable, spanMs } from '@popsvc/read-models/tables';
import type { PlanStatement, TemporaryTable } from '../../engine/projection.ts';
import { isComparable, tombstoneVersion } from '../../engine/recompute.ts';

/** Yields one row for each span that [from, to) overlaps. The arguments are SQL expressions for ms since 1970. */
export const overlappedSpans = (fromMs: string, toMs: string): string =>
  `arrayJoin(range(toUInt32(intDiv(${fromMs}, ${spanMs})),
                    toUInt32(intDiv(${toMs} - 1, ${spanMs})) + 1))`;

/**
 * The column DETAILID of reports: a hash, cut to the 53 bits that JSON numbers represent exactly. It depends only on the identity, so a
 * replay gives the same number.
 */
export const rowNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;

/**
 * Joins watch intervals with gaps of up to `gap` ms, then clips them to [from_ms, to_ms). The stored intervals are sorted and do not
 * overlap.
 */
export const clippedWatches = (gap: string): string => `
        arrayMap(t -> toUnixTimestamp64Milli(t), d.watch_starts) AS starts_ms,
        arrayMap(t -> toUnixTimestamp64Milli(t), d.watch_ends) AS ends_ms,
        arrayMap(i -> i > 1 AND starts_ms[i] - ends_ms[i - 1] > ${gap}, arrayEnumerate(starts_ms)) AS breaks,
        arrayMap(part -> greatest(part[1], from_ms), arraySplit((s, b) -> b, starts_ms, breaks)) AS merged_starts,
        arrayMap(part -> least(part[-1], to_ms), arraySplit((e, b) -> b, ends_ms, breaks)) AS merged_ends,
        arrayFilter((f, t) -> t > f, merged_starts, merged_ends) AS clipped_starts,
        arrayFilter((t, f) -> t > f, merged_ends, merged_starts) AS clipped_ends`;

export interface DerivedRows {
  readonly derived: DerivedTable;
  readonly generation: number;
  readonly values: Readonly<Record<string, string>>;
  readonly from: string;
  readonly replaces: {
    /** Temporary table with the keys of the affected facts. */
    readonly affected: string;
    /** Column of the temporary table that has the `ts` of the derived rows. */
    readonly ts: string;
    /** Columns that identify a fact, with the same names in the temporary table and in the derived rows. */
    readonly identity: readonly string[];
  };
}

export const validFrom = (recordedAt: string): string =>
  `if({validFromMs:Int64} = 0, ${recordedAt}, fromUnixTimestamp64Milli({validFromMs:Int64}, 'UTC'))`;

/** ClickHouse inserts the rows of a block and a month atomically: readers see a play's old or its new rows, unless its month changes. */
const inOneBlock =
  'SETTINGS insert_deduplicate = 0, min_insert_block_size_rows = 10000000, min_insert_block_size_bytes = 0, max_block_size = 10000000';

const key = 'network_id, ts, number';

/** Copies stored rows that differ or vanish to the history first. Equal rows are not written, unless `rewritesAll` is set. */
export const replaceDerivedRows = ({
  derived: { table, history },
  generation,
  values,
  from,
  replaces: { affected, ts, identity },
}: DerivedRows): readonly (TemporaryTable | PlanStatement)[] => {
  const physicalTable = generationTable(table, generation);
  const columns = Object.keys(values).join(', ');
  const kept = Object.keys(history.fields).filter((name) => name !== 'valid_to');
  const equalColumns = Object.keys(values)
    .map((name) => `${['projected_at', 'valid_from'].includes(name) ? 's' : 'n'}.${name} AS ${name}`)
    .join(', ');
  const types = Object.entries(table.fields).map(([name, { type }]) => `${name} ${type}`);
  const select = `SELECT ${Object.entries(values)
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(',\n    ')}
  FROM ${from}`;
  const insert = `INSERT INTO ${physicalTable} (${columns})`;
  return [
    {
      name: 'stored_rows',
      sql: `SELECT ${key}, ${contentOf(table)} AS content, projected_at, valid_from FROM ${physicalTable} FINAL
        WHERE (network_id, ts) IN (SELECT network_id, ${ts} FROM ${affected})
        AND (${identity.join(', ')}) IN (SELECT ${identity.join(', ')} FROM ${affected}) AND ${isComparable}`,
    },
    { ifEmpty: 'stored_rows', run: `${insert} ${select} ${inOneBlock}` },
    {
      unlessEmpty: 'stored_rows',
      run: { name: 'new_rows', columns: types.join(', '), sql: `(${columns}) ${select}` },
    },
    {
      unlessEmpty: 'stored_rows',
      run: {
        name: 'replaced_rows',
        sql: `SELECT ${key}, (${key}) NOT IN (SELECT ${key} FROM new_rows) AS is_vanished FROM stored_rows
          WHERE (${key}, content) NOT IN (SELECT ${key}, ${contentOf(table)} FROM new_rows)`,
      },
    },
    {
      unlessEmpty: 'replaced_rows',
      run: `INSERT INTO ${generationTable(history, generation)} (${kept.join(', ')}, valid_to)
        SELECT ${kept.join(', ')}, fromUnixTimestamp64Milli({validToMs:Int64}, 'UTC') FROM ${physicalTable} FINAL
        WHERE (${key}) IN (SELECT ${key} FROM replaced_rows) SETTINGS insert_deduplicate = 0`,
    },
    {
      unlessEmpty: 'stored_rows',
      run: `${insert}
        SELECT ${columns} FROM new_rows WHERE (${key}, ${contentOf(table)}) NOT IN (SELECT ${key}, content FROM stored_rows)
        UNION ALL
        SELECT ${equalColumns} FROM (SELECT *, ${contentOf(table)} AS content FROM new_rows) AS n
        INNER JOIN stored_rows AS s ON n.network_id = s.network_id AND n.ts = s.ts AND n.number = s.number
        WHERE {rewritesAll:UInt8} = 1 AND n.content = s.content
        UNION ALL
        SELECT * REPLACE (${tombstoneVersion} AS version, 1 AS is_deleted) FROM (
          SELECT ${columns} FROM ${physicalTable} FINAL
          WHERE (${key}) IN (SELECT ${key} FROM replaced_rows WHERE is_vanished))
        ${inOneBlock}`,
    },
  ];
};
