import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent, SettledParkedEvents, Tally } from '@popsvc/platform/postgres';
import type { parkingAlarm } from './alarm.ts';
import { discardedBy, isDecision, requireKnown } from './decisions.ts';
import { isOfState } from './is-of-state.ts';
import { lateEvents } from './late-events.ts';
import { requireZone } from './require-zone.ts';
import { NewerDecision, parkedOf, PoisonMet, TooManyParked } from './poison.ts';
import { notTallying, tallying } from './tallying.ts';
import { type LateParts, standsBehind, takingLate } from './take-late.ts';

/** What an operator's decision made of events that were set aside. */
export interface Decided {
  /** Positions of facts that were taken. */
  readonly late: readonly bigint[];
  readonly settled: SettledParkedEvents;
}

/** How events come into a fold: each where it stands, or set aside, or where an operator asked for it. */
export interface Intake {
  /** Takes an event, or answers that it is parked. Throws where nothing may be parked. */
  take(event: LogEvent): ParkedEvent | undefined;
  /** Whether an event decides about others; then it is a batch of its own. Throws on a decision of a newer build. */
  isDecision(event: LogEvent): boolean;
  decide(event: LogEvent): Promise<Decided>;
  /** What became of the events since the last call, where nothing may be parked. */
  tally(): Tally;
}

export interface IntakeParts extends LateParts {
  readonly alarm: ReturnType<typeof parkingAlarm>;
  /** Nothing more is parked. */
  readonly isStopped: boolean;
  /** Facts are taken by somebody else. */
  readonly isOfStateOnly?: boolean;
}

export const createIntake = (parts: IntakeParts): Intake => {
  const { store, projection, fold, aside, zones, alarm, isStopped, poison, log } = parts;
  const { takeState, takeFacts } = takingLate(parts);
  const { name } = projection;
  const isMeant = (stream: string) => !parts.isOfStateOnly || isOfState(projection, stream);
  const tally = poison === 'stop' ? tallying(fold) : notTallying;

  const refuse = (event: LogEvent, error: unknown): ParkedEvent => {
    if (poison === 'stop') throw new PoisonMet(name, event, error);
    if (isStopped || alarm.isFull()) throw new TooManyParked(name, event, error);
    alarm.count();
    aside.park(event);
    const { stream, type, position } = event;
    log.error({ err: error, projection: name, stream, type, position: String(position) }, 'an event is parked');
    return parkedOf(event, error);
  };

  return {
    take(event) {
      if (aside.keeps(event, event.position)) {
        tally.count(event, 'skipped');
        return undefined;
      }
      const behind = aside.behind(event);
      if (behind !== undefined) {
        aside.park(event);
        return { ...parkedOf(event, standsBehind(behind)), behind };
      }
      try {
        requireZone(event, zones);
        tally.taking(event, () => fold.take(event));
        return undefined;
      } catch (error) {
        return refuse(event, error);
      }
    },
    isDecision(event) {
      // One that was set aside or discarded is passed over like any other event.
      if (!isDecision(event) || aside.keeps(event, event.position)) return false;
      try {
        requireKnown(event);
        return true;
      } catch (error) {
        throw poison === 'stop' ? new PoisonMet(name, event, error) : new NewerDecision(name, event, error);
      }
    },
    async decide(event) {
      aside.decisions.note(event);
      const discarded = discardedBy(event);
      for (const { position } of discarded) aside.release(position);
      const late = await lateEvents(store, projection, aside, event, isMeant);
      const [state, facts] = [true, false].map((of) =>
        late.filter(({ stream }) => isOfState(projection, stream) === of),
      );
      const failed = [...(await takeState(event, state!)), ...takeFacts(event, facts!)];
      fold.take(event);
      tally.count(event, 'none');
      const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
      if (poison === 'park') aside.decisions.forget(event);
      return {
        late: taken.filter(({ stream }) => !isOfState(projection, stream)).map(({ position }) => position),
        settled: { released: taken.map(({ position }) => position), failed, discarded },
      };
    },
    tally: () => tally.take(),
  };
};
