import { createHash } from 'node:crypto';
import { compressed, type Field, field, type MaterializedField } from '@popsvc/platform/clickhouse';

/*
 * Each column that ClickHouse reads and sends costs time, so report tables store most fields of a page in one column
 * (docs/decisions/0035-pages-in-node.md).
 */

export interface ReportRow {
  /** Start of the play or detection, in ms since 1970. */
  readonly ms: number;
  /** Identifies the row among those with the same start. Has at most 53 bits. */
  readonly number: number;
  /** The fields with columns of their own, then the packed ones. */
  readonly texts: readonly string[];
}

/** The row contains times as ms after its own `ms`. */
export interface RowField {
  readonly sql: string;
  readonly text: (row: ReportRow) => string;
  readonly number: (row: ReportRow) => number;
  /** For a field with a time: ms since 1970. */
  readonly ms: (row: ReportRow) => number;
  /** For a field with a list of times: ms since 1970. */
  readonly listMs: (row: ReportRow) => readonly number[];
}

export interface PageFields<Name extends string = string> {
  /** Columns that a page reads after `ts` and `number`. The last one is the packed column. */
  readonly columns: readonly string[];
  readonly materialized: Readonly<Record<string, MaterializedField>>;
  readonly fields: Readonly<Record<Name | 'ts' | 'number', RowField>>;
}

const rowField = (sql: string, text: (row: ReportRow) => string): RowField => ({
  sql,
  text,
  number: (row) => Number(text(row)),
  ms: (row) => row.ms + Number(text(row)),
  listMs: (row) => {
    const list = text(row);
    if (list === '[]') return [];
    const items = list.slice(1, -1);
    return items.includes(',') ? items.split(',').map((afterMs) => row.ms + Number(afterMs)) : [row.ms + Number(items)];
  },
});

const msAfterStart = (instant: string) => `toUnixTimestamp64Milli(${instant}) - toUnixTimestamp64Milli(ts)`;

const packedSql = (name: string, { type }: Field): string => {
  if (type.startsWith('DateTime64')) return msAfterStart(name);
  return type.startsWith('Array(DateTime64') ? `arrayMap(t -> ${msAfterStart('t')}, ${name})` : name;
};

/**
 * `packed`: fields that are stored a second time, in one column. A digest in its name lets releases with different fields each read their
 * own column.
 */
export const pageFields = <Fields extends Readonly<Record<string, Field>>, const Name extends keyof Fields & string>(
  fields: Fields,
  { own, packed }: { readonly own: readonly Name[]; readonly packed: readonly Name[] },
): PageFields<Name> => {
  const expression = `formatRowNoNewline('TSV', ${packed.map((name) => packedSql(name, fields[name]!)).join(', ')})`;
  const column = `packed_${createHash('sha256').update(expression).digest('hex').slice(0, 8)}`;
  const texts = [...own, ...packed].map((name, index) => [name, rowField(name, ({ texts }) => texts[index]!)] as const);
  const about = `What pages show of the row, as tab-separated text: ${packed.join(', ')}. Times are in ms after ts.`;
  return {
    columns: [...own, column],
    materialized: { [column]: { ...compressed('ZSTD(1)', field('String', about)), expression } },
    fields: {
      ...(Object.fromEntries(texts) as Record<Name, RowField>),
      ts: { ...rowField('ts', () => '0'), ms: ({ ms }) => ms },
      number: rowField('number', ({ number }) => String(number)),
    },
  };
};

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' };

/** Splits a packed column into its values. A null is `\N`. */
export const unpack = (packed: string): readonly string[] => {
  const texts = packed.split('\t');
  if (!packed.includes('\\')) return texts;
  return texts.map((text) =>
    text === '\\N' || !text.includes('\\')
      ? text
      : text.replaceAll(/\\(.)/gs, (_, escaped: string) => escapes[escaped] ?? escaped),
  );
};
