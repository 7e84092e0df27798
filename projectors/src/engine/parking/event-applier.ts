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

/** Counts what becomes of events, by what is seen of the fold and not by what it says. */
interface OutcomeCounter {
  count(event: LogEvent, outcome: Outcome): void;
  /** Has a fold take an event, and counts whether that made rows. */
  countApplied(event: LogEvent, takeCounts: () => void): void;
  /** The counts since the last call. */
  take(): Tally;
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
const noOutcomeCounter: OutcomeCounter = {
  count: () => undefined,
  countApplied: (_, take) => take(),
  take: () => ({}),
};

/** What an operator's decision made of events that were set aside. */
interface DecisionOutcome {
  /** Positions of facts that were taken. */
  readonly late: readonly bigint[];
  readonly settled: SettledParkedEvents;
}

/** How events come into a fold: each where it stands, or set aside, or where an operator asked for it. */
export interface EventApplier {
  /** Takes an event, or answers that it is parked. Throws where nothing may be parked. */
  apply(event: LogEvent): ParkedEvent | undefined;
  /** Whether an event decides about others; then it is a batch of its own. Throws on a decision of a newer build. */
  isDecision(event: LogEvent): boolean;
  applyDecision(event: LogEvent): Promise<DecisionOutcome>;
  /** What became of the events since the last call, where nothing may be parked. */
  takeTally(): Tally;
}

interface EventApplierDependencies extends LateEventDependencies {
  readonly parkingLimit: ReturnType<typeof createParkingLimit>;
  /** Nothing more is parked. */
  readonly isParkingStopped: boolean;
  /** Facts are taken by somebody else. */
  readonly stateOnly?: boolean;
}

export const createEventApplier = (parts: EventApplierDependencies): EventApplier => {
  const { store, projection, fold, skipped, timeZones, parkingLimit, isParkingStopped, poisonPolicy, log } = parts;
  const { takeState, takeFacts } = createLateEventAppliers(parts);
  const { name } = projection;
  const isMeant = (stream: string) => !parts.stateOnly || isStateStream(projection, stream);
  const tally = poisonPolicy === 'stop' ? createOutcomeCounter(fold) : noOutcomeCounter;

  const refuse = (event: LogEvent, error: unknown): ParkedEvent => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, event, error);
    if (isParkingStopped || parkingLimit.isFull()) throw new ParkingLimitReached(name, event, error);
    parkingLimit.count();
    skipped.park(event);
    const { stream, type, position } = event;
    log.error({ err: error, projection: name, stream, type, position: String(position) }, 'an event is parked');
    return toParkedEvent(event, error);
  };

  return {
    apply(event) {
      if (skipped.isSkipped(event, event.position)) {
        tally.count(event, 'skipped');
        return undefined;
      }
      const behind = skipped.findParkedBefore(event);
      if (behind !== undefined) {
        skipped.park(event);
        return { ...toParkedEvent(event, describeParkedBefore(behind)), behind };
      }
      try {
        requireKnownTimeZone(event, timeZones);
        tally.countApplied(event, () => fold.apply(event));
        return undefined;
      } catch (error) {
        return refuse(event, error);
      }
    },
    isDecision(event) {
      // One that was set aside or discarded is passed over like any other event.
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
      const late = await readRetriedEvents(store, projection, skipped, event, isMeant);
      const [state, facts] = [true, false].map((of) =>
        late.filter(({ stream }) => isStateStream(projection, stream) === of),
      );
      const failed = [...(await takeState(event, state!)), ...takeFacts(event, facts!)];
      fold.apply(event);
      tally.count(event, 'none');
      const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
      if (poisonPolicy === 'park') skipped.decisions.removeRetriedFacts(event);
      return {
        late: taken.filter(({ stream }) => !isStateStream(projection, stream)).map(({ position }) => position),
        settled: { released: taken.map(({ position }) => position), failed, discarded },
      };
    },
    takeTally: () => tally.take(),
  };
};

/** Takes an event, or those it decides about: these must be waited for. */
export const applyOrDecide = (intake: EventApplier, event: LogEvent): Promise<unknown> | undefined => {
  if (intake.isDecision(event)) return intake.applyDecision(event);
  intake.apply(event);
  return undefined;
};
