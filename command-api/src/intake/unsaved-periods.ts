import type { Clock } from '@popsvc/platform/runtime';

interface PeriodOptions<Counts> {
  readonly lengthMs: number;
  /** Older periods are dropped while PostgreSQL is unavailable. */
  readonly maxPeriods: number;
  readonly create: () => Counts;
}

export type Period<Counts> = readonly [startMs: number, counts: Counts];

export interface UnsavedPeriods<Counts> {
  /** The caller changes the counts in place. */
  current(): Counts;
  /** If `save` throws, the next call includes the same periods again. */
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
      // The counts of these periods can no longer change.
      for (const [start] of unsaved) if (start < startOfSave) periods.delete(start);
    },
  };
};
