import type { TimeWindow } from '../parameters/time-window.ts';
import type { PageRequest } from './request.ts';
import type { CachedDay } from './row-counts.ts';

/** Safety factor for days with an uneven distribution of rows. */
const marginFactor = 4;

const edgeAt = (ms: number) => ({ ms, nanosPastMs: 0 });

/**
 * Estimates from cached counts which part of the window contains the page; undefined if that cannot be determined. For a descending page,
 * ClickHouse would read the sort keys of the whole window (docs/decisions/0016-totals-by-day.md). Counts may be outdated: the caller must
 * read the whole window unless the part has a row after the page.
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
    // If only a part of the day follows the cursor, the number of its rows is unknown.
    if (lengthMs === toMs - fromMs) wantedRows -= cached.rows;
    if (wantedRows <= 0) return cutAt(far);
  }
  return undefined;
};
