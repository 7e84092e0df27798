import type { TimeWindow } from '../parameters/time-window.ts';
import type { PageRequest } from './request.ts';
import type { CachedDay } from './row-counts.ts';

/**
 * Safety factor for days with an uneven distribution of rows: a page reads a time range that is this many times as long as an even
 * distribution would require.
 */
const marginFactor = 4;

const edgeAt = (ms: number) => ({ ms, nanosPastMs: 0 });

/**
 * Estimates which part of the window contains the page, using the cached row counts of UTC days. In the sort order of the page, the part
 * begins where the window begins and ends at a point that is probably beyond the page. Returns undefined if a count that it needs is not
 * cached, or if the page needs the whole window.
 *
 * Reading only this part saves time for pages in descending order. Rows can be replaced, and ClickHouse resolves replaced rows in ascending
 * order. For a descending page, it therefore reads the sort keys of the whole window; for an ascending page, it stops early. The benchmark
 * `growth-page` measures both (docs/decisions/0016-totals-by-day.md).
 *
 * The cached counts may be outdated. The caller therefore reads the whole window unless the result has a row after the page.
 */
export const findNearWindow = (
  days: readonly Pick<CachedDay, 'fromMs' | 'toMs' | 'cached'>[],
  window: TimeWindow,
  { sort, after, offset, limit }: Pick<PageRequest, 'sort' | 'after' | 'offset' | 'limit'>,
): TimeWindow | undefined => {
  const isAscending = sort === 'asc';
  const cutAt = (ms: number): TimeWindow =>
    isAscending ? { ...window, to: edgeAt(ms) } : { ...window, from: edgeAt(ms) };
  let wantedRows = offset + limit + 1;
  for (const { fromMs, toMs, cached } of isAscending ? days : [...days].reverse()) {
    const [near, far] = isAscending
      ? [Math.max(fromMs, after?.ms ?? fromMs), toMs]
      : [Math.min(toMs, (after?.ms ?? toMs) + 1), fromMs];
    const lengthMs = isAscending ? far - near : near - far;
    if (lengthMs <= 0) continue;
    if (!cached) return undefined;
    const rowsPerMs = cached.rows / (toMs - fromMs);
    const rangeMs = rowsPerMs > 0 ? Math.ceil((wantedRows * marginFactor) / rowsPerMs) : Infinity;
    if (rangeMs < lengthMs) return cutAt(isAscending ? near + rangeMs : near - rangeMs);
    // If only a part of the day follows the cursor, the number of rows in that part is unknown. The count is therefore subtracted
    // only for whole days.
    if (lengthMs === toMs - fromMs) wantedRows -= cached.rows;
    if (wantedRows <= 0) return cutAt(far);
  }
  return undefined;
};
