import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { SettledParkedEvents } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { Fold, Projection } from '../projection.ts';
import { restoreState } from './recall.ts';
import type { SkippedEvents } from './aside.ts';
import { toParkedEvent, type PoisonPolicy, UnfoldableEvent } from './poison.ts';
import { requireKnownTimeZone } from './require-zone.ts';

export interface LateEventDependencies {
  readonly store: Pick<EventStore, 'readEventAt' | 'readStream' | 'subscribe'>;
  readonly projection: Projection;
  readonly fold: Fold;
  readonly skipped: SkippedEvents;
  /** Zones that ClickHouse can compute with. */
  readonly timeZones: ReadonlySet<string>;
  readonly poisonPolicy: PoisonPolicy;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const describeParkedBefore = (position: bigint): string =>
  `it stands behind position ${position} of its stream, which is parked`;

/** Those that failed again. */
export type FailedRetry = SettledParkedEvents['failed'][number];

/** How events that were set aside come into a fold when an operator asks for them. */
export const createLateEventAppliers = ({
  store,
  projection,
  fold,
  skipped,
  timeZones,
  poisonPolicy,
  log,
  signal,
}: LateEventDependencies) => {
  const { name } = projection;
  const failedAgain = (event: LogEvent, error: unknown): FailedRetry => {
    if (poisonPolicy === 'stop') throw new UnfoldableEvent(name, event, error);
    skipped.park(event);
    return toParkedEvent(event, error);
  };

  /** What is kept in memory is made anew, as if they had never been missing; what follows from that is written with this batch. */
  const applyStateEvents = async (asked: LogEvent, late: readonly LogEvent[]): Promise<readonly FailedRetry[]> => {
    if (late.length === 0) return [];
    if (!fold.reloadState) throw new Error(`${name} keeps what it cannot learn anew`);
    const failed: FailedRetry[] = [];
    const again = fold.reloadState();
    const into = {
      restore(event: LogEvent) {
        const behind = skipped.findParkedBefore(event);
        if (behind === undefined) {
          requireKnownTimeZone(event, timeZones);
          again.restore(event, skipped.decisions.appliedAt(event) ?? event.position);
        } else {
          skipped.park(event);
          failed.push({ ...toParkedEvent(event, describeParkedBefore(behind)), behind });
        }
      },
    };
    const onRefused = (event: LogEvent, error: unknown) => {
      if (late.some(({ position }) => position === event.position)) failed.push(failedAgain(event, error));
      else log.warn({ err: error, position: String(event.position) }, 'an event cannot be folded any more');
    };
    for (const { position } of late) skipped.release(position);
    await restoreState(store, projection, into, asked.position, { signal, log, skipped, onRefused });
    signal.throwIfAborted();
    const taken = late.filter(({ position }) => !failed.some((other) => other.position === position));
    again.adopt({ position: asked.position, atMs: asked.recordedAtMs }, taken);
    return failed;
  };

  const applyFacts = (asked: LogEvent, late: readonly LogEvent[]): readonly FailedRetry[] =>
    late.flatMap((event) => {
      skipped.release(event.position);
      try {
        fold.apply(event, { position: asked.position, atMs: asked.recordedAtMs });
        return [];
      } catch (error) {
        return [failedAgain(event, error)];
      }
    });

  return { takeState: applyStateEvents, takeFacts: applyFacts };
};
