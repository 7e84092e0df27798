import { bind, selectColumn, joinWithCommas, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { DownloadAsked } from '../asked/index.ts';
import { columnForms } from './column-forms.ts';
import { type Extent, reportRows } from './report-rows.ts';

/** The rows of a download in the order of pages; the server writes them in the format asked for. */
export const downloadQuery = (
  extent: Extent,
  { limit, offset, format, excelSafe }: Omit<DownloadAsked, 'window' | 'siteIds'>,
): Sql => {
  const form = columnForms[excelSafe ? 'excelCsv' : format];
  return sql`
SELECT ${joinWithCommas(extent.dataset.columns.map((column) => selectColumn({ name: column.name, sql: form(column) })))}
FROM ${reportRows(extent)}
ORDER BY ts, number ${span(limit, offset)}`;
};

const span = (limit: number | undefined, offset: number): Sql => {
  if (limit !== undefined) return sql`LIMIT ${bind('UInt64', limit)} OFFSET ${bind('UInt64', offset)}`;
  return offset > 0 ? sql`OFFSET ${bind('UInt64', offset)}` : sql``;
};
