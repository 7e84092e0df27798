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
  ParkingLimitReached,
  requireKnownTimeZone,
  toParkedEvent,
  UnfoldableEvent,
  UnknownDecision,
} from './parking-errors.ts';
import type { ParkingLimit } from './parking-limit.ts';

type Outcome = keyof EventOutcomes;

/** Counts the outcome of each event: whether it was skipped, produced rows, or produced none. */
interface OutcomeCounter {
  count(event: LogEvent, outcome: Outcome): void;
  /**
   * Calls `apply` to fold the event. Counts the event as one that produced rows if the fold's pending rows or bytes changed, and
   * otherwise as one that produced none.
   */
  countApplied(event: LogEvent, apply: () => void): void;
  /** Returns the counts since the last call. */
  takeCounts(): Tally;
}

const createOutcomeCounter = (fold: Fold): OutcomeCounter => {
  let counts = new Map<string, Record<Outcome, number>>();
  const count = (event: LogEvent, outcome: Outcome) => {
    const type = replaceNulCharacters(event.type);
    const ofType = counts.get(type) ?? { rows: 0, skipped: 0, none: 0 };
    ofType[outcome] += 1;
    counts.set(type, ofType);
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

/** A counter for live generations, which counts nothing. Outcomes are needed only to compare a new generation with the log. */
const noOutcomeCounter: OutcomeCounter = {
  count: () => undefined,
  countApplied: (_, apply) => apply(),
  takeCounts: () => ({}),
};

/** Outcome of an operator's decision about parked events. */
export interface DecisionOutcome {
  /** Log positions of the parked facts that were applied because of the decision. */
  readonly late: readonly bigint[];
  readonly settled: SettledParkedEvents;
}

/**
 * Applies events to a fold. An event is applied at its own log position or, if it was parked, at the position of an operator's
 * later decision. Also decides whether an event that cannot be folded is parked.
 */
export interface EventApplier {
  /**
   * Applies an event. Returns the event if it must be parked. Throws if it cannot be folded and the policy forbids parking.
   */
  apply(event: LogEvent): ParkedEvent | undefined;
  /**
   * Returns true when the event is a decision about parked events. Such an event forms a batch of its own. Throws when a newer
   * software version wrote the decision.
   */
  isDecision(event: LogEvent): boolean;
  applyDecision(event: LogEvent): Promise<DecisionOutcome>;
  /** Returns the number of events since the last call, by type and outcome; empty for a live generation. */
  takeTally(): Tally;
}

interface EventApplierDependencies extends LateEventDependencies {
  readonly parkingLimit: ParkingLimit;
  /**
   * True when the projection has reached its parking limit. No more events are parked until an operator resumes the projection.
   */
  readonly isParkingStopped: boolean;
}

export const createEventApplier = (dependencies: EventApplierDependencies): EventApplier => {
  const { store, projection, fold, skipped, timeZones, parkingLimit, isParkingStopped, poisonPolicy, log } =
    dependencies;
  const { applyStateEvents, applyFacts } = createLateEventAppliers(dependencies);
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
      // A decision that was itself parked or discarded is skipped like any other event.
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
      const stateEvents = late.filter(({ stream }) => isStateStream(projection, stream));
      const facts = late.filter(({ stream }) => !isStateStream(projection, stream));
      const failed = [...(await applyStateEvents(event, stateEvents)), ...applyFacts(event, facts)];
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
