import type { ErrorCode } from '@popsvc/contracts/errors';
import type { IntakeMinute } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';

const minuteMs = 60_000;

/**
 * Rows of bulk files are told by names of their own: whether anybody takes in what vendors push does not follow from them, and
 * nobody was told a code of theirs.
 */
export type BulkOutcome = 'bulk_accepted' | 'bulk_refused';

/** What is counted by the minute, for operators. */
export interface IntakeCounts {
  readonly accepted: (events: number) => void;
  readonly refused: (code: ErrorCode | BulkOutcome, events: number) => void;
}

export interface IntakeMinutes extends IntakeCounts {
  /**
   * Hands over what was counted in the running minute, and in those before that were not written yet; a minute in which nothing
   * came is told, too. What could not be written is handed over again the next time.
   */
  write(to: (figures: readonly IntakeMinute[]) => Promise<void>): Promise<void>;
}

interface Count {
  events: number;
  requests: number;
}

/** Minutes that are kept while they cannot be written; older ones are forgotten. */
const mostMinutes = 60;

/** Counts in memory: nothing of it is on the way of a request. */
export const intakeMinutes = (clock: Clock, accepted: 'accepted' | 'bulk_accepted' = 'accepted'): IntakeMinutes => {
  const minutes = new Map<number, Map<string, Count>>();

  const minuteNow = () => Math.floor(clock.now() / minuteMs) * minuteMs;

  const countsNow = (): Map<string, Count> => {
    const minute = minuteNow();
    const known = minutes.get(minute);
    if (known) return known;
    const fresh = new Map<string, Count>([[accepted, { events: 0, requests: 0 }]]);
    minutes.set(minute, fresh);
    for (const old of [...minutes.keys()].slice(0, -mostMinutes)) minutes.delete(old);
    return fresh;
  };

  const count = (outcome: string, events: number) => {
    const counts = countsNow();
    const known = counts.get(outcome);
    counts.set(outcome, { events: (known?.events ?? 0) + events, requests: (known?.requests ?? 0) + 1 });
  };

  return {
    accepted: (events) => count(accepted, events),
    refused: count,
    async write(to) {
      countsNow();
      const running = minuteNow();
      const figures = [...minutes].flatMap(([minute, counts]) =>
        [...counts].map(([outcome, each]) => ({ minuteMs: minute, outcome, ...each })),
      );
      await to(figures);
      // Minutes that were over by then are told for good.
      for (const { minuteMs: minute } of figures) if (minute < running) minutes.delete(minute);
    },
  };
};
