import { bind, joinWithCommas, selectColumn, type Sql, sql, sqlText } from '@popsvc/platform/clickhouse';
import { type Dataset, type DatasetColumn, typedColumns } from '@popsvc/read-models/datasets';
import { orderBy } from './cursor.ts';
import { type RowSelection, selectedRows } from './report-queries.ts';
import type { DownloadFormat, DownloadRequest } from './request.ts';

export const queryDownload = (
  selection: RowSelection,
  { limit, offset, format, isExcelSafe }: Pick<DownloadRequest, 'limit' | 'offset' | 'format' | 'isExcelSafe'>,
): Sql => {
  const columns = fileColumns(selection.dataset, isExcelSafe ? 'excelCsv' : format).map(selectColumn);
  const names = Object.keys(selection.dataset.table.fields).filter((name) => name !== 'is_deleted');
  return sql`
SELECT ${joinWithCommas(columns)}
FROM ${selectedRows(selection, joinWithCommas(names.map(sqlText)))}
ORDER BY ${orderBy.asc} ${limitClause(limit, offset)} ${selection.at ? sortOnDisk : sql``}`;
};

/** For a query that sorts the union of other queries: beyond 200 MB, ClickHouse sorts on its disk. */
export const sortOnDisk: Sql = sql`SETTINGS max_bytes_before_external_sort = 200000000, max_bytes_ratio_before_external_sort = 0`;

const limitClause = (limit: number | undefined, offset: number): Sql => {
  if (limit !== undefined) return sql`LIMIT ${bind('UInt64', limit)} OFFSET ${bind('UInt64', offset)}`;
  return offset > 0 ? sql`OFFSET ${bind('UInt64', offset)}` : sql``;
};

type ColumnValue = (column: DatasetColumn) => string;

/** CSV has no arrays, so they are written as JSON text. */
const csvValue: ColumnValue = ({ sql, type }) =>
  type === 'array' ? `if(isNull(${sql}), NULL, toJSONString(${sql}))` : sql;

/** The apostrophe stops a spreadsheet from executing the text as a formula. */
const escapeFormula = (text: string): string =>
  `if(match(${text}, '^[=+@\\\\t\\\\r\\n\\x00-]'), concat('\\'', ${text}), ${text})`;

const columnValues: Readonly<Record<Exclude<DownloadFormat, 'parquet'> | 'excelCsv', ColumnValue>> = {
  csv: csvValue,
  excelCsv: (column) => (column.type === 'string' ? escapeFormula(column.sql) : csvValue(column)),
  ndjson: ({ sql }) => sql,
};

export const fileColumns = (
  dataset: Dataset,
  format: DownloadFormat | 'excelCsv',
): readonly { readonly name: string; readonly sql: string }[] => {
  if (format === 'parquet') return typedColumns(dataset);
  const valueOf = columnValues[format];
  return dataset.columns.map((column) => ({ name: column.name, sql: valueOf(column) }));
};
