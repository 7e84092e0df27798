import type { Clock } from '@popsvc/platform/runtime';

interface PeriodOptions<Counts> {
  readonly lengthMs: number;
  /** Number of periods that are kept while PostgreSQL is unavailable. The oldest periods are dropped. */
  readonly maxPeriods: number;
  readonly create: () => Counts;
}

/** The counts of a period, and its start in ms since 1970. */
export type Period<Counts> = readonly [startMs: number, counts: Counts];

/** Counts by period of time. The counts of a period are saved repeatedly until the period is over. */
export interface UnsavedPeriods<Counts> {
  /** Returns the counts of the current period. The caller changes them in place. */
  current(): Counts;
  /** Calls `save` with all unsaved periods. If `save` throws, the next call includes the same periods again. */
  save(save: (periods: readonly Period<Counts>[]) => Promise<void>): Promise<void>;
}

export const createUnsavedPeriods = <Counts>(
  clock: Clock,
  { lengthMs, maxPeriods, create }: PeriodOptions<Counts>,
): UnsavedPeriods<Counts> => {
  const periods = new Map<number, Counts>();
  const currentStart = () => Math.floor(clock.now() / lengthMs) * lengthMs;
  return {
    current() {
      const start = currentStart();
      const known = periods.get(start);
      if (known) return known;
      const fresh = create();
      periods.set(start, fresh);
      for (const old of [...periods.keys()].slice(0, -maxPeriods)) periods.delete(old);
      return fresh;
    },
    async save(save) {
      const startOfSave = currentStart();
      const unsaved = [...periods];
      await save(unsaved);
      // Periods before `startOfSave` were over when they were saved. Their counts are final and saved, so they are dropped.
      for (const [start] of unsaved) if (start < startOfSave) periods.delete(start);
    },
  };
};
