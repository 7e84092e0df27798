import { hash } from 'node:crypto';
import type { ClickHouseReader, QueryOptions } from '@popsvc/platform/clickhouse';
import { LRUCache } from 'lru-cache';
import { findPendingAsOfMs, type GenerationProgress } from '../generations/live-generations.ts';
import { ceilToMs, type TimeWindow } from '../parameters/time-window.ts';
import {
  dayMs,
  queryChangedDays,
  queryDayCounts,
  queryTotal,
  type RowSelection,
  type TimeRange,
} from './report-queries.ts';

/** Counts rows by UTC day and caches the counts (docs/decisions/0016-totals-by-day.md). */
export interface RowCounter {
  /** The caller must read `progress` before this call. Without `progress`, or if the network has pending rows, the cache is not used. */
  count(selection: RowSelection, progress: GenerationProgress | undefined, options: QueryOptions): Promise<number>;
  /** The counts may be outdated. */
  cachedDays(selection: RowSelection, progress: GenerationProgress): readonly CachedDay[];
}

interface DayRange extends TimeRange {
  /** Days since 1970-01-01. */
  readonly day: number;
}

/** Correct until an event after `position` changes the rows of the day. */
interface DayCount {
  readonly rows: number;
  readonly position: bigint;
}

export interface CachedDay extends DayRange {
  readonly cached: DayCount | undefined;
}

const splitByDay = ({ from, to }: TimeWindow): readonly DayRange[] => {
  const [fromMs, toMs] = [ceilToMs(from), ceilToMs(to)];
  const first = Math.floor(fromMs / dayMs);
  const days = Math.max(0, Math.ceil(toMs / dayMs) - first);
  return Array.from({ length: days }, (_, index) => {
    const day = first + index;
    return { day, fromMs: Math.max(fromMs, day * dayMs), toMs: Math.min(toMs, (day + 1) * dayMs) };
  });
};

const joinAdjacent = (ranges: readonly TimeRange[]): readonly TimeRange[] => {
  const joined: TimeRange[] = [];
  for (const { fromMs, toMs } of ranges) {
    const last = joined.at(-1);
    if (last?.toMs === fromMs) joined[joined.length - 1] = { ...last, toMs };
    else joined.push({ fromMs, toMs });
  }
  return joined;
};

const maxCachedDays = 50_000;

/** A request may name thousands of sites, so their ids are hashed. */
const createKeyOf = ({ dataset, network, siteIds }: RowSelection, { generation, tablesId }: GenerationProgress) => {
  const sites = [...siteIds].sort((one, other) => one - other).join();
  const prefix = `${dataset.name} ${generation} ${tablesId} ${network} ${sites && hash('sha256', sites, 'base64')}`;
  return ({ fromMs, toMs }: TimeRange): string => `${prefix} ${fromMs} ${toMs}`;
};

/**
 * Counts again only days that are not cached or that have rows after the position of their count. Pending rows are written later without a
 * new position, so a network with pending rows bypasses the cache.
 */
export const createRowCounter = (reader: ClickHouseReader): RowCounter => {
  const cache = new LRUCache<string, DayCount>({ max: maxCachedDays });

  const cachedDays = (selection: RowSelection, progress: GenerationProgress): readonly CachedDay[] => {
    const keyOf = createKeyOf(selection, progress);
    return splitByDay(selection.window).map((day) => ({ ...day, cached: cache.get(keyOf(day)) }));
  };

  const findChangedDays = async (
    selection: RowSelection,
    { generation, position }: GenerationProgress,
    days: readonly CachedDay[],
    options: QueryOptions,
  ): Promise<ReadonlySet<number>> => {
    const positions = days.flatMap(({ cached }) => cached?.position ?? []);
    const oldest = positions.reduce((least, each) => (each < least ? each : least), position);
    if (oldest === position) return new Set();
    const range = { fromMs: days[0]!.fromMs, toMs: days.at(-1)!.toMs };
    const rows = await reader.rows<{ day: number }>(queryChangedDays(selection, generation, range, oldest), options);
    return new Set(rows.map(({ day }) => day));
  };

  const countDays = async (
    selection: RowSelection,
    generation: number,
    days: readonly TimeRange[],
    options: QueryOptions,
  ): Promise<ReadonlyMap<number, number>> => {
    if (days.length === 0) return new Map();
    const query = queryDayCounts(selection, generation, joinAdjacent(days));
    const rows = await reader.rows<{ day: number; count: number }>(query, options);
    return new Map(rows.map(({ day, count }) => [day, count]));
  };

  const countByDay = async (selection: RowSelection, progress: GenerationProgress, options: QueryOptions) => {
    const { generation, position } = progress;
    const days = cachedDays(selection, progress).map(({ cached, ...day }) => ({
      ...day,
      // A later position may be from before a restore of the read model from a backup.
      cached: cached && cached.position <= position ? cached : undefined,
    }));
    if (days.length === 0) return 0;
    const changed = await findChangedDays(selection, progress, days, options);
    const isStale = ({ day, cached }: CachedDay): boolean => !cached || changed.has(day);
    const stale = days.filter(isStale);
    const recounted = await countDays(selection, generation, stale, options);
    const keyOf = createKeyOf(selection, progress);
    let total = 0;
    for (const each of days) {
      const rows = isStale(each) ? (recounted.get(each.day) ?? 0) : each.cached!.rows;
      if (each.cached?.position !== position) cache.set(keyOf(each), { rows, position });
      total += rows;
    }
    return total;
  };

  const countWindow = async (selection: RowSelection, options: QueryOptions) => {
    const [row] = await reader.rows<{ total: number }>(queryTotal(selection), options);
    return row?.total ?? 0;
  };

  return {
    cachedDays,
    count: (selection, progress, options) =>
      progress && findPendingAsOfMs(progress, selection.network) === undefined
        ? countByDay(selection, progress, options)
        : countWindow(selection, options),
  };
};
