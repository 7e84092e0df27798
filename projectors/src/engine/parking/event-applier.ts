import type { LogEvent } from '@popsvc/platform/event-store';
import {
  type EventOutcomes,
  type ParkedEvent,
  replaceNulCharacters,
  type SettledParkedEvents,
  type Tally,
} from '@popsvc/platform/postgres';
import type { Fold } from '../projection.ts';
import { isDecision, isStateStream, readDiscardedEvents, requireKnownDecision } from './decisions.ts';
import {
  createLateEventAppliers,
  describeParkedBefore,
  type LateEventDependencies,
  readRetriedEvents,
} from './late-events.ts';
import {
  type createParkingLimit,
  ParkingLimitReached,
  requireKnownTimeZone,
  toParkedEvent,
  UnfoldableEvent,
  UnknownDecision,
} from './poison.ts';

type Outcome = keyof EventOutcomes;

/** Counts the outcomes of events by observing the fold. */
interface OutcomeCounter {
  count(event: LogEvent, outcome: Outcome): void;
  /** Has the fold apply an event and counts whether that added rows. */
  countApplied(event: LogEvent, apply: () => void): void;
  /** Returns the counts since the last call. */
  takeCounts(): Tally;
}

const createOutcomeCounter = (fold: Fold): OutcomeCounter => {
  let counts = new Map<string, Record<Outcome, number>>();
  const count = (event: LogEvent, outcome: Outcome) => {
    const type = replaceNulCharacters(event.type);
    const of = counts.get(type) ?? { rows: 0, skipped: 0, none: 0 };
    of[outcome] += 1;
    counts.set(type, of);
  };
  return {
    count,
    countApplied(event, apply) {
      const before = fold.pending;
      const [rows, bytes] = [before.rows, before.bytes];
      apply();
      const after = fold.pending;
      count(event, after.rows === rows && after.bytes === bytes ? 'none' : 'rows');
    },
    takeCounts() {
      const taken = Object.fromEntries(counts);
      counts = new Map();
      return taken;
    },
  };
};

/** Live generations park events and are not compared with the log, so they count nothing. */
const noOutcomeCounter: OutcomeCounter = {
  count: () => undefined,
  countApplied: (_, apply) => apply(),
  takeCounts: () => ({}),
};

/** Outcome of an operator's decision about parked events. */
interface DecisionOutcome {
  /** Positions of the facts that were applied. */
  readonly late: readonly bigint[];
  readonly settled: SettledParkedEvents;
}

/** Applies events to a fold: at their own position, at a later decision, or not at all when they are parked. */
export interface EventApplier {
  /** Applies an event, or returns it as parked. Throws where the policy forbids parking. */
  apply(event: LogEvent): ParkedEvent | undefined;
  /**
   * Returns true when the event is a decision about others; it becomes a batch of its own. Throws on a decision of a
   * newer build.
   */
  isDecision(event: LogEvent): boolean;
  applyDecision(event: LogEvent): Promise<DecisionOutcome>;
  /** Outcomes of the events since the last call, where they are counted. */
  takeTally(): Tally;
}

interface EventApplierDependencies extends LateEventDependencies {
  readonly parkingLimit: ReturnType<typeof createParkingLimit>;
  /** No further events are parked. */
  readonly isParkingStopped: boolean;
}

export const createEventApplier = (parts: EventApplierDependencies): EventApplier => {
  const { store, projection, fold, skipped, timeZones, parkingLimit, isParkingStopped, poisonPolicy, log } = parts;
  const { takeState, takeFacts } = createLateEventAppliers(parts);
  const { name } = projection;
  const outcomes = poisonPolicy === 'stop' ? createOutcomeCounter(fold) : noOutcomeCounter;

  const refuse = (event: LogEvent, error: unknown): ParkedEvent => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, event, error);
    if (isParkingStopped || parkingLimit.isFull()) throw new ParkingLimitReached(name, event, error);
    parkingLimit.count();
    skipped.park(event);
    const { stream, type, position } = event;
    log.error({ err: error, projection: name, stream, type, position: String(position) }, 'event parked');
    return toParkedEvent(event, error);
  };

  return {
    apply(event) {
      if (skipped.isSkipped(event, event.position)) {
        outcomes.count(event, 'skipped');
        return undefined;
      }
      const behind = skipped.findParkedBefore(event);
      if (behind !== undefined) {
        skipped.park(event);
        return { ...toParkedEvent(event, describeParkedBefore(behind)), behind };
      }
      try {
        requireKnownTimeZone(event, timeZones);
        outcomes.countApplied(event, () => fold.apply(event));
        return undefined;
      } catch (error) {
        return refuse(event, error);
      }
    },
    isDecision(event) {
      // A parked or discarded decision is skipped like any other event.
      if (!isDecision(event) || skipped.isSkipped(event, event.position)) return false;
      try {
        requireKnownDecision(event);
        return true;
      } catch (error) {
        throw poisonPolicy === 'stop'
          ? new UnfoldableEvent(name, event, error)
          : new UnknownDecision(name, event, error);
      }
    },
    async applyDecision(event) {
      skipped.decisions.add(event);
      const discarded = readDiscardedEvents(event);
      for (const { position } of discarded) skipped.release(position);
      const late = await readRetriedEvents(store, projection, skipped, event);
      const [state, facts] = [true, false].map((of) =>
        late.filter(({ stream }) => isStateStream(projection, stream) === of),
      );
      const failed = [...(await takeState(event, state!)), ...takeFacts(event, facts!)];
      fold.apply(event);
      outcomes.count(event, 'none');
      const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
      if (poisonPolicy === 'park') skipped.decisions.removeRetriedFacts(event);
      return {
        late: taken.filter(({ stream }) => !isStateStream(projection, stream)).map(({ position }) => position),
        settled: { released: taken.map(({ position }) => position), failed, discarded },
      };
    },
    takeTally: () => outcomes.takeCounts(),
  };
};
