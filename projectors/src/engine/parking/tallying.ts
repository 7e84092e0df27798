import type { LogEvent } from '@popsvc/platform/event-store';
import { type EventOutcomes, replaceNulCharacters, type Tally } from '@popsvc/platform/postgres';
import type { Fold } from '../projection.ts';

type Outcome = keyof EventOutcomes;

/** Counts what becomes of events, by what is seen of the fold and not by what it says. */
export interface OutcomeCounter {
  count(event: LogEvent, outcome: Outcome): void;
  /** Has a fold take an event, and counts whether that made rows. */
  countApplied(event: LogEvent, takeCounts: () => void): void;
  /** The counts since the last call. */
  take(): Tally;
}

export const createOutcomeCounter = (fold: Fold): OutcomeCounter => {
  let counts = new Map<string, Record<Outcome, number>>();
  const count = (event: LogEvent, outcome: Outcome) => {
    const type = replaceNulCharacters(event.type);
    const of = counts.get(type) ?? { rows: 0, skipped: 0, none: 0 };
    of[outcome] += 1;
    counts.set(type, of);
  };
  return {
    count,
    countApplied(event, take) {
      const before = fold.pending;
      const [rows, bytes] = [before.rows, before.bytes];
      take();
      const after = fold.pending;
      count(event, after.rows === rows && after.bytes === bytes ? 'none' : 'rows');
    },
    take() {
      const taken = Object.fromEntries(counts);
      counts = new Map();
      return taken;
    },
  };
};

/** Where nobody asks: what is live sets events aside, and is not held against the log. */
export const noOutcomeCounter: OutcomeCounter = {
  count: () => undefined,
  countApplied: (_, take) => take(),
  take: () => ({}),
};
