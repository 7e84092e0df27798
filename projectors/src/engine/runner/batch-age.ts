import type { BatchLimits } from '../limits.ts';

/** How long the open batch may still wait for more events: longer while the past is read. */
export const batchAge = ({ ageMs, catchUpAgeMs = ageMs }: Pick<BatchLimits, 'ageMs' | 'catchUpAgeMs'>) => {
  let [openedAt, allowedMs] = [Infinity, catchUpAgeMs];
  return {
    opened(): void {
      openedAt = Date.now();
    },
    closed(): void {
      openedAt = Infinity;
    },
    caughtUp(): void {
      allowedMs = ageMs;
    },
    /** Infinite while there is no open batch. */
    get leftMs(): number {
      return openedAt + allowedMs - Date.now();
    },
  };
};
