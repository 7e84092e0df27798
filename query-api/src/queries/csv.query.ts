import type { Column } from '@popsvc/contracts/datasets';
import { bind, columnAs, listOf, type Sql, sql } from '@popsvc/platform/read-store';
import type { DownloadAsked } from '../asked/index.ts';
import { type Extent, reportRows } from './report-rows.ts';

/** The rows of a download in the order of pages; the server writes them as CSV. */
export const csvQuery = (
  extent: Extent,
  { limit, offset, excelSafe }: Omit<DownloadAsked, 'window' | 'siteIds'>,
): Sql => sql`
SELECT ${listOf(extent.dataset.columns.map((column) => columnAs({ name: column.name, sql: inCsv(column, excelSafe) })))}
FROM ${reportRows(extent)}
ORDER BY ts, number ${span(limit, offset)}`;

const span = (limit: number | undefined, offset: number): Sql => {
  if (limit !== undefined) return sql`LIMIT ${bind('UInt64', limit)} OFFSET ${bind('UInt64', offset)}`;
  return offset > 0 ? sql`OFFSET ${bind('UInt64', offset)}` : sql``;
};

/** CSV knows no arrays: they are JSON text there. */
const inCsv = ({ sql: expression, type }: Column, excelSafe: boolean): string => {
  if (type === 'array') return `if(isNull(${expression}), NULL, toJSONString(${expression}))`;
  return excelSafe && type === 'string' ? withoutFormula(expression) : expression;
};

/** A spreadsheet runs text that begins with one of these; an apostrophe before it makes it text. */
const withoutFormula = (text: string): string =>
  `if(match(${text}, '^[=+@\\\\t\\\\r\\n\\x00-]'), concat('\\'', ${text}), ${text})`;
