import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { SettledParkedEvents } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Fold, Projection } from '../projection.ts';
import { recall } from './recall.ts';
import type { Aside } from './aside.ts';
import { parkedOf, type Poison, PoisonMet } from './poison.ts';
import { requireZone } from './require-zone.ts';

export interface LateParts {
  readonly store: Pick<EventStore, 'readEventAt' | 'readStream' | 'subscribe'>;
  readonly projection: Projection;
  readonly fold: Fold;
  readonly aside: Aside;
  /** Zones that ClickHouse can compute with. */
  readonly zones: ReadonlySet<string>;
  readonly poison: Poison;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const standsBehind = (position: bigint): string =>
  `it stands behind position ${position} of its stream, which is parked`;

/** Those that failed again. */
export type Failed = SettledParkedEvents['failed'][number];

/** How events that were set aside come into a fold when an operator asks for them. */
export const takingLate = ({ store, projection, fold, aside, zones, poison, log, signal }: LateParts) => {
  const { name } = projection;
  const failedAgain = (event: LogEvent, error: unknown): Failed => {
    if (poison === 'stop') throw new PoisonMet(name, event, error);
    aside.park(event);
    return parkedOf(event, error);
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
          again.recall(event, aside.decisions.takenAt(event) ?? event.position);
        } else {
          aside.park(event);
          failed.push({ ...parkedOf(event, standsBehind(behind)), behind });
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

  const takeFacts = (asked: LogEvent, late: readonly LogEvent[]): readonly Failed[] =>
    late.flatMap((event) => {
      aside.release(event.position);
      try {
        fold.take(event, { position: asked.position, atMs: asked.recordedAtMs });
        return [];
      } catch (error) {
        return [failedAgain(event, error)];
      }
    });

  return { takeState, takeFacts };
};
