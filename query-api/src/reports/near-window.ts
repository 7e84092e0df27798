import type { TimeWindow } from '../parameters/instants.ts';
import type { PageRequest } from './request.ts';
import type { CachedDay } from './row-counts.ts';

/** How many times as long a time range to read as the page would take if the rows of a day were spread evenly. */
const marginFactor = 4;

const edgeAt = (ms: number) => ({ ms, nanosPastMs: 0 });

/**
 * Finds the part of the window that probably contains the page, from the cached row counts of days: the days from the beginning
 * of the page on, and of the last day only the time that the rows probably take. Undefined if a count is unknown or if this is
 * the whole window.
 *
 * ClickHouse stops early when it reads rows that may be replaced in ascending order, but in descending order it reads all keys
 * of the window: with ten times the rows, a page took 304 ms of CPU instead of 77 (docs/decisions/0016-totals-by-day.md;
 * benchmark `growth-page`). Because the counts may be outdated, the caller reads the whole window unless another row follows
 * the page.
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
    // The count of a day does not show how many of its rows follow the cursor, so it is subtracted only for a whole day.
    if (lengthMs === toMs - fromMs) wantedRows -= cached.rows;
    if (wantedRows <= 0) return cutAt(far);
  }
  return undefined;
};
