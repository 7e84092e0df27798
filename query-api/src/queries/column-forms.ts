import type { DatasetColumn, ValueKind } from '@popsvc/read-models/datasets';
import type { DownloadFormat } from '../asked/index.ts';

/** The SQL that makes a column's value, in the form a file wants it. */
type Form = (column: DatasetColumn) => string;

/** CSV knows no arrays: they are JSON text there. */
const inCsv: Form = ({ sql, type }) => (type === 'array' ? `if(isNull(${sql}), NULL, toJSONString(${sql}))` : sql);

/** A spreadsheet runs text that begins with one of these; an apostrophe before it makes it text. */
const withoutFormula = (text: string): string =>
  `if(match(${text}, '^[=+@\\\\t\\\\r\\n\\x00-]'), concat('\\'', ${text}), ${text})`;

const stored: Readonly<Record<ValueKind, string>> = {
  whole: 'Nullable(Int64)',
  fraction: 'Nullable(Float64)',
  text: 'Nullable(String)',
  truth: 'Nullable(Bool)',
  texts: 'Array(String)',
  fractions: 'Array(Float64)',
};

/** One type a column, whatever the rows. A list that is null elsewhere is empty here: ClickHouse has no lists that may be missing. */
const inParquet: Form = ({ sql, valueKind: valueKind, type }) =>
  type === 'array' ? `variantElement(${sql}, '${stored[valueKind]}')` : `CAST(${sql}, '${stored[valueKind]}')`;

export const columnForms: Readonly<Record<DownloadFormat | 'excelCsv', Form>> = {
  csv: inCsv,
  excelCsv: (column) => (column.type === 'string' ? withoutFormula(column.sql) : inCsv(column)),
  ndjson: ({ sql }) => sql,
  parquet: inParquet,
};
