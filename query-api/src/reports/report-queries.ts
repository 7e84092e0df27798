import {
  bind,
  currentRows,
  instantSql,
  joinWithCommas,
  joinWithOr,
  selectColumn,
  type Sql,
  sql,
  tableName,
} from '@popsvc/platform/clickhouse';
import type { Dataset } from '@popsvc/read-models/datasets';
import { ceilToMs, type TimeWindow } from '../parameters/instants.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { isAfterCursor, orderBy } from './cursor.ts';
import type { PageRequest } from './request.ts';

/** The rows that a request selects, before paging. */
export interface RowSelection {
  readonly dataset: Dataset;
  readonly network: number;
  readonly window: TimeWindow;
  /** Empty: all rows of the network, including those of an unknown site. */
  readonly siteIds: readonly number[];
  /** Undefined: the live generation. */
  readonly generation?: number | undefined;
}

/** `FROM` and `WHERE` of the selected rows. */
export const selectedRows = ({ dataset, network, window, siteIds, generation }: RowSelection, condition?: Sql): Sql => {
  const conditions = [
    sql`ts >= ${instantSql(ceilToMs(window.from))}`,
    sql`ts < ${instantSql(ceilToMs(window.to))}`,
    isOfSites(siteIds),
    condition,
  ];
  return rowsOfNetwork(dataset.table, network, conditions, currentRows(dataset.table, generation));
};

const isOfSites = (siteIds: readonly number[]): Sql | undefined =>
  siteIds.length > 0 ? sql`site_id IN ${bind('Array(UInt64)', siteIds)}` : undefined;

/**
 * The rows of a page, and one more that shows whether another page follows. The inner query selects by the sort key, so that the columns
 * of the report are computed for these rows only. The last columns are the sort key: `_ts` (ms) and `_number`.
 */
export const queryPage = (
  selection: RowSelection,
  { limit, sort, after, offset }: Pick<PageRequest, 'limit' | 'sort' | 'after' | 'offset'>,
): Sql => sql`
SELECT ${joinWithCommas(selection.dataset.columns.map(selectColumn))}, toUnixTimestamp64Milli(ts) AS _ts, number AS _number
FROM (
  SELECT * FROM ${selectedRows(selection, after && isAfterCursor(after, sort))}
  ORDER BY ${orderBy[sort]} LIMIT ${bind('UInt64', limit + 1)} OFFSET ${bind('UInt64', offset)}
)
ORDER BY ${orderBy[sort]}`;

/** The number of selected rows. */
export const queryTotal = (selection: RowSelection): Sql =>
  sql`SELECT count() AS total FROM ${selectedRows(selection)}`;

/** From `fromMs`, up to and not including `toMs`. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

export const dayMs = 86_400_000;

/** The UTC day of a row, counted since 1970. */
const dayOfRow = sql`intDiv(toUnixTimestamp64Milli(ts), ${bind('Int64', dayMs)})`;

const isWithin = ({ fromMs, toMs }: TimeRange): Sql => sql`(ts >= ${instantSql(fromMs)} AND ts < ${instantSql(toMs)})`;

/** The number of rows of each UTC day in the ranges; days without rows are omitted. */
export const queryDayCounts = (
  { dataset, network, siteIds }: Pick<RowSelection, 'dataset' | 'network' | 'siteIds'>,
  generation: number,
  ranges: readonly TimeRange[],
): Sql => {
  const conditions = [joinWithOr(ranges.map(isWithin)), isOfSites(siteIds)];
  return sql`
SELECT ${dayOfRow} AS day, count() AS count
FROM ${rowsOfNetwork(dataset.table, network, conditions, currentRows(dataset.table, generation))}
GROUP BY day`;
};

/**
 * The UTC days of the range in which rows of any site were written after a log position. It reads every version of a row, including
 * tombstones, so it is correct only while merges keep tombstones (derived-rows.sql.ts of projectors describes the versions).
 */
export const queryChangedDays = (
  { dataset, network }: Pick<RowSelection, 'dataset' | 'network'>,
  generation: number,
  range: TimeRange,
  position: bigint,
): Sql => {
  const isNewer = sql`version > ${bind('UInt64', (2n * position + 1n).toString())}`;
  return sql`
SELECT DISTINCT ${dayOfRow} AS day
FROM ${rowsOfNetwork(dataset.table, network, [isWithin(range), isNewer], tableName(dataset.table, generation))}`;
};
