import { bind, selectColumn, joinWithCommas, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { Cursor, PageAsked, Sort } from '../asked/index.ts';
import { instantSql } from './of-network.ts';
import { type Extent, reportRows } from './report-rows.ts';

/**
 * One row more than the page holds, so that it knows whether another page follows. Rows are chosen by the bare columns of the
 * sort key; the columns of the report are worked out for those alone. `_ts` (ms) and `_number` come last in each row.
 */
export const pageQuery = (
  extent: Extent,
  { limit, sort, after, offset }: Pick<PageAsked, 'limit' | 'sort' | 'after' | 'offset'>,
): Sql => sql`
SELECT ${joinWithCommas(extent.dataset.columns.map(selectColumn))}, toUnixTimestamp64Milli(ts) AS _ts, number AS _number
FROM (
  SELECT * FROM ${reportRows(extent, after && beyond(after, sort))}
  ORDER BY ${order[sort]} LIMIT ${bind('UInt64', limit + 1)} OFFSET ${bind('UInt64', offset)}
)
ORDER BY ${order[sort]}`;

const order: Readonly<Record<Sort, Sql>> = {
  asc: sql`ts, number`,
  desc: sql`ts DESC, number DESC`,
};

/** The bare bound on `ts` beside the pair lets the server skip by its index. */
const beyond = ({ ms, beyondNs, number }: Cursor, sort: Sort): Sql => {
  if (number === undefined)
    return sort === 'asc' ? sql`ts >= ${instantSql(ms + 1)}` : sql`ts < ${instantSql(beyondNs > 0 ? ms + 1 : ms)}`;
  const row = sql`(${instantSql(ms)}, ${bind('UInt64', number)})`;
  return sort === 'asc'
    ? sql`ts >= ${instantSql(ms)} AND (ts, number) > ${row}`
    : sql`ts <= ${instantSql(ms)} AND (ts, number) < ${row}`;
};
