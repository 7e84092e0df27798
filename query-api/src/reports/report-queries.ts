import { versionAfter } from '@popsvc/contracts/events';
import {
  bind,
  currentRows,
  instantSql,
  joinWithOr,
  joinWithUnionAll,
  limitedTo,
  numberSql,
  type Sql,
  sql,
  sqlText,
  tableName,
} from '@popsvc/platform/clickhouse';
import type { Dataset } from '@popsvc/read-models/datasets';
import { ceilToMs, type TimeWindow } from '../parameters/time-window.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { isAfterCursor, orderBy } from './cursor.ts';
import { type EarlierTime, rowsAt } from './earlier-time.ts';
import type { PageRequest } from './request.ts';

export interface RowSelection {
  readonly dataset: Dataset;
  readonly network: number;
  readonly window: TimeWindow;
  /** An empty list selects all rows of the network, including rows whose site is unknown. */
  readonly siteIds: readonly number[];
  /** By default, the live one. Not used with `at`. */
  readonly generation?: number | undefined;
  /** By default, selects the current rows. */
  readonly at?: EarlierTime | undefined;
}

/** One part or, for an earlier time, two: current and former rows. */
const selectedParts = (
  { dataset, network, window, siteIds, generation, at }: RowSelection,
  condition?: Sql,
): readonly [Sql, ...Sql[]] => {
  const range = { fromMs: ceilToMs(window.from), toMs: ceilToMs(window.to) };
  const scope = { network, ...range };
  const conditions = [isOfSites(siteIds), condition];
  if (at) {
    const [current, former] = rowsAt({ dataset, at, network, isWithin: isWithin(range), conditions });
    return [limitedTo(scope, current), limitedTo(scope, former)];
  }
  const source = limitedTo(scope, currentRows(dataset.table, generation));
  return [rowsOfNetwork(dataset.table, network, [isWithin(range), ...conditions], source)];
};

const unionOf = (parts: readonly Sql[], query: (rows: Sql) => Sql): Sql =>
  joinWithUnionAll(parts.map((rows) => sql`(${query(rows)})`));

/** Part of a query after `FROM`, with at least `columns`. */
export const selectedRows = (selection: RowSelection, columns: Sql): Sql => {
  const [first, ...others] = selectedParts(selection);
  return others.length === 0
    ? first
    : sql`(${unionOf([first, ...others], (rows) => sql`SELECT ${columns} FROM ${rows}`)})`;
};

/** Includes `fromMs`, excludes `toMs`; ms since 1970. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const isWithin = ({ fromMs, toMs }: TimeRange): Sql => sql`(ts >= ${instantSql(fromMs)} AND ts < ${instantSql(toMs)})`;

export const isOfSites = (siteIds: readonly number[]): Sql | undefined =>
  siteIds.length > 0 ? sql`site_id IN ${bind('Array(UInt64)', siteIds)}` : undefined;

/** Selects one more row than the page if another page follows. */
export const queryPage = (
  selection: RowSelection,
  { limit, sort, after, offset }: Pick<PageRequest, 'limit' | 'sort' | 'after' | 'offset'>,
): Sql => {
  const parts = selectedParts(selection, after && isAfterCursor(after, sort));
  const query = (rows: Sql, { rows: most, skipped }: { readonly rows: number; readonly skipped: number }) => sql`
SELECT ts, number, ${sqlText(selection.dataset.page.columns.join(', '))}
FROM ${rows}
ORDER BY ${orderBy[sort]} LIMIT ${numberSql(most)} OFFSET ${numberSql(skipped)}`;
  if (parts.length === 1) return query(parts[0], { rows: limit + 1, skipped: offset });
  const all = unionOf(parts, (rows) => query(rows, { rows: offset + limit + 1, skipped: 0 }));
  return query(sql`(${all})`, { rows: limit + 1, skipped: offset });
};

export const queryTotal = (selection: RowSelection): Sql => {
  const [first, ...others] = selectedParts(selection);
  if (others.length === 0) return sql`SELECT count() AS total FROM ${first}`;
  return sql`SELECT sum(rows) AS total FROM (${unionOf([first, ...others], (rows) => sql`SELECT count() AS rows FROM ${rows}`)})`;
};

export const dayMs = 86_400_000;

const dayOfRow = sql`intDiv(toUnixTimestamp64Milli(ts), ${bind('Int64', dayMs)})`;

/** `ranges` must be in ascending order. Days without rows are omitted. */
export const queryDayCounts = (
  { dataset, network, siteIds }: Pick<RowSelection, 'dataset' | 'network' | 'siteIds'>,
  generation: number,
  ranges: readonly TimeRange[],
): Sql => {
  const conditions = [joinWithOr(ranges.map(isWithin)), isOfSites(siteIds)];
  const all = { fromMs: ranges[0]?.fromMs ?? 0, toMs: ranges.at(-1)?.toMs ?? 0 };
  const source = limitedTo({ network, ...all }, currentRows(dataset.table, generation));
  return sql`
SELECT ${dayOfRow} AS day, count() AS count
FROM ${rowsOfNetwork(dataset.table, network, conditions, source)}
GROUP BY day`;
};

/**
 * A day has changed if a later event wrote one of its rows, whatever the site. Correct only as long as merges keep tombstones, the rows
 * that mark deleted ones.
 */
export const queryChangedDays = (
  { dataset, network }: Pick<RowSelection, 'dataset' | 'network'>,
  generation: number,
  range: TimeRange,
  position: bigint,
): Sql => {
  const isNewer = sql`version >= ${bind('UInt64', versionAfter(position).toString())}`;
  const source = limitedTo({ network, ...range }, tableName(dataset.table, generation));
  return sql`
SELECT DISTINCT ${dayOfRow} AS day
FROM ${rowsOfNetwork(dataset.table, network, [isWithin(range), isNewer], source)}`;
};
