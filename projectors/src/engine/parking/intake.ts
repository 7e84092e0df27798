import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent, SettledParkedEvents, Tally } from '@popsvc/platform/postgres';
import type { createParkingLimit } from './alarm.ts';
import { readDiscardedEvents, isDecision, requireKnownDecision } from './decisions.ts';
import { isStateStream } from './is-of-state.ts';
import { readRetriedEvents } from './late-events.ts';
import { requireKnownTimeZone } from './require-zone.ts';
import { UnknownDecision, toParkedEvent, UnfoldableEvent, ParkingLimitReached } from './poison.ts';
import { noOutcomeCounter, createOutcomeCounter } from './tallying.ts';
import { type LateEventDependencies, describeParkedBefore, createLateEventAppliers } from './take-late.ts';

/** What an operator's decision made of events that were set aside. */
export interface DecisionOutcome {
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

export interface EventApplierDependencies extends LateEventDependencies {
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
