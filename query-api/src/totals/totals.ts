import type { ClickHouseReader, QueryOptions } from '@popsvc/platform/clickhouse';
import type { PageAsked, Window } from '../asked/index.ts';
import { dayCountsQuery, type Extent, totalQuery, touchedDaysQuery } from '../queries/index.ts';
import type { Progress } from '../reports/index.ts';
import { DayCounts } from './day-counts.ts';
import { nearWindow } from './near-window.ts';
import { stretchesOf } from './segments.ts';

/** How many rows there are, and by that, how far a page has to look for its own. */
export interface Totals {
  /** `progress`: read before this. Without it nothing is remembered. */
  total(extent: Extent, progress: Progress | undefined, options: QueryOptions): Promise<number>;
  /** The part of the window in which the page is likely to lie; undefined when that is not known or not less. */
  near(extent: Extent, page: PageAsked, progress: Progress | undefined): Window | undefined;
}

type DayCount = Readonly<Record<'day' | 'count', number>>;

/**
 * Days are counted once, and again when something was written to them since. What is remembered holds as of a position up to
 * which everything was readable before the counting; whether more was written, the rows themselves tell by their versions. So
 * an answer is what a count of the whole window would have been, whoever writes and however many count.
 */
export const totals = (reader: ClickHouseReader): Totals => {
  const counts = new DayCounts();

  const counted = async (extent: Extent, progress: Progress, options: QueryOptions) => {
    const { generation, position } = progress;
    // What was counted further on is of a read model that was since put back to an older copy.
    const segments = counts.get(extent, progress).map(({ counted: before, ...segment }) => ({
      ...segment,
      counted: before && before.position <= position ? before : undefined,
    }));
    const [first, last] = [segments[0], segments.at(-1)];
    if (!first || !last) return 0;
    const known = segments.flatMap((segment) => segment.counted?.position ?? []);
    const touched = new Set<number>();
    if (known.length > 0) {
      const since = known.reduce((least, each) => (each < least ? each : least));
      const within = { fromMs: first.fromMs, toMs: last.toMs };
      const days = await reader.rows<{ day: number }>(touchedDaysQuery(extent, generation, within, since), options);
      for (const { day } of days) touched.add(day);
    }
    const stale = segments.filter(({ day, counted: before }) => !before || touched.has(day));
    const query = dayCountsQuery(extent, generation, stretchesOf(stale));
    const rows = stale.length > 0 ? await reader.rows<DayCount>(query, options) : [];
    const anew = new Map(rows.map(({ day, count }) => [day, count]));
    const found = segments.map((segment) => {
      const { day, counted: before } = segment;
      const rows = before && !touched.has(day) ? before.rows : (anew.get(day) ?? 0);
      return [segment, { rows, position }] as const;
    });
    counts.set(extent, progress, found);
    return found.reduce((total, [, { rows }]) => total + rows, 0);
  };

  const plain = async (extent: Extent, options: QueryOptions) => {
    const [row] = await reader.rows<{ total: number }>(totalQuery(extent), options);
    return row?.total ?? 0;
  };

  return {
    total: (extent, progress, options) => (progress ? counted(extent, progress, options) : plain(extent, options)),
    near(extent, page, progress) {
      return progress && nearWindow(counts.get(extent, progress), extent.window, page);
    },
  };
};
