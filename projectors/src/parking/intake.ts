import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent, SettledEvents } from '@popsvc/platform/records';
import type { Log } from '@popsvc/platform/runtime';
import type { Fold, Projection } from '../run/projection.ts';
import { recall } from '../run/recall.ts';
import type { parkingAlarm } from './alarm.ts';
import type { Aside } from './aside.ts';
import { discardedBy, isDecision, retriedBy } from './decisions.ts';
import { isOfState } from './is-of-state.ts';
import { lateEvents } from './late-events.ts';
import { requireZone } from './require-zone.ts';
import { parkedOf, type Poison, PoisonMet, reasonOf, TooManyParked } from './poison.ts';

/** What an operator's decision made of events that were set aside. */
export interface Decided {
  /** Positions of facts that were taken. */
  readonly late: readonly bigint[];
  readonly settled: SettledEvents;
}

/** How events come into a fold: each where it stands, or set aside, or where an operator asked for it. */
export interface Intake {
  /** Takes an event, or answers that it is parked. Throws where nothing may be parked. */
  take(event: LogEvent): ParkedEvent | undefined;
  /** Whether an event decides about others; then it is a batch of its own. */
  isDecision(event: LogEvent): boolean;
  decide(event: LogEvent): Promise<Decided>;
}

export interface IntakeParts {
  readonly store: Pick<EventStore, 'at' | 'readStream' | 'follow'>;
  readonly projection: Projection;
  readonly fold: Fold;
  readonly aside: Aside;
  /** Zones that ClickHouse can compute with. */
  readonly zones: ReadonlySet<string>;
  readonly alarm: ReturnType<typeof parkingAlarm>;
  /** Nothing more is parked. */
  readonly isStopped: boolean;
  readonly poison: Poison;
  readonly log: Log;
  readonly signal: AbortSignal;
}

const standsBehind = (position: bigint): string =>
  `it stands behind position ${position} of its stream, which is parked`;

export const createIntake = (parts: IntakeParts): Intake => {
  const { store, projection, fold, aside, zones, alarm, isStopped, poison, log, signal } = parts;
  const { name } = projection;

  const refuse = (event: LogEvent, error: unknown): ParkedEvent => {
    if (poison === 'stop') throw new PoisonMet(name, event, error);
    if (isStopped || alarm.isFull()) throw new TooManyParked(name, event, error);
    alarm.count();
    aside.park(event);
    const { stream, type, position } = event;
    log.error({ err: error, projection: name, stream, type, position: String(position) }, 'an event is parked');
    return parkedOf(event, error);
  };

  /** Those that failed again. */
  type Failed = SettledEvents['failed'][number];
  const failedAgain = (event: LogEvent, error: unknown): Failed => {
    if (poison === 'stop') throw new PoisonMet(name, event, error);
    aside.park(event);
    return { position: event.position, error: reasonOf(error) };
  };

  /** What is kept in memory is made anew, as if they had never been missing; what follows from that is written with this batch. */
  const takeState = async (asked: LogEvent, late: readonly LogEvent[]): Promise<readonly Failed[]> => {
    if (late.length === 0) return [];
    if (!fold.relearn) throw new Error(`${name} keeps what it cannot learn anew`);
    const failed: Failed[] = [];
    const again = fold.relearn();
    const into = {
      recall(event: LogEvent) {
        const behind = aside.behind(event);
        if (behind === undefined) {
          requireZone(event, zones);
          again.recall(event);
        } else {
          aside.park(event);
          failed.push({ position: event.position, error: standsBehind(behind), behind });
        }
      },
    };
    const onRefused = (event: LogEvent, error: unknown) => {
      if (late.some(({ position }) => position === event.position)) failed.push(failedAgain(event, error));
      else log.warn({ err: error, position: String(event.position) }, 'an event cannot be folded any more');
    };
    for (const { position } of late) aside.release(position);
    await recall(store, projection, into, asked.position, { signal, log, aside, onRefused });
    signal.throwIfAborted();
    const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
    again.adopt({ position: asked.position, atMs: asked.recordedAtMs }, taken);
    return failed;
  };

  const takeFacts = (late: readonly LogEvent[]): readonly Failed[] =>
    late.flatMap((event) => {
      aside.release(event.position);
      try {
        fold.take(event);
        return [];
      } catch (error) {
        return [failedAgain(event, error)];
      }
    });

  return {
    take(event) {
      if (aside.keeps(event, event.position)) return undefined;
      const behind = aside.behind(event);
      if (behind !== undefined) {
        aside.park(event);
        return { ...parkedOf(event, standsBehind(behind)), behind };
      }
      try {
        requireZone(event, zones);
        fold.take(event);
        return undefined;
      } catch (error) {
        return refuse(event, error);
      }
    },
    isDecision(event) {
      if (!isDecision(event)) return false;
      try {
        retriedBy(event);
        discardedBy(event);
        return true;
      } catch {
        return false;
      }
    },
    async decide(event) {
      aside.decisions.note(event);
      const discarded = discardedBy(event);
      for (const { position } of discarded) aside.release(position);
      const late = await lateEvents(store, projection, aside, event);
      const [state, facts] = [true, false].map((of) =>
        late.filter(({ stream }) => isOfState(projection, stream) === of),
      );
      const failed = [...(await takeState(event, state!)), ...takeFacts(facts!)];
      fold.take(event);
      const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
      return {
        late: taken.filter(({ stream }) => !isOfState(projection, stream)).map(({ position }) => position),
        settled: { released: taken.map(({ position }) => position), failed, discarded },
      };
    },
  };
};
