import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';
import type { SkippedEvents } from './skipped-events.ts';
import type { Projection } from '../projection.ts';
import { failWhenSilent } from '../event-log.ts';

export interface RestoreOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Decides which events are skipped. */
  readonly skipped: Pick<SkippedEvents, 'isSkipped'>;
  /**
   * Called with an event that cannot be folded. Default: logs a warning; the event was parked when it was first read.
   */
  readonly onRefused?: (event: LogEvent, error: unknown) => void;
}

/** Folds the state streams up to the checkpoint into memory, where the state of a projection lives. */
export const restoreState = async (
  store: Pick<EventStore, 'subscribe'>,
  { stateStreams }: Pick<Projection, 'stateStreams'>,
  into: { restore(event: LogEvent): void },
  upTo: bigint,
  { signal, log, skipped, onRefused }: RestoreOptions,
): Promise<void> => {
  if (stateStreams.length === 0 || upTo === 0n) return;
  const follow = (ending: AbortSignal) => store.subscribe({ after: 'start', prefixes: stateStreams, signal: ending });
  for await (const followed of failWhenSilent(follow, signal)) {
    if (followed.kind === 'caught-up' || followed.event.position > upTo) return;
    const { event } = followed;
    if (skipped.isSkipped(event, upTo)) continue;
    try {
      into.restore(event);
    } catch (error) {
      const { stream, type, position } = event;
      if (onRefused) onRefused(event, error);
      else
        log.warn({ err: error, stream, type, position: String(position) }, 'event of a state stream cannot be folded');
    }
  }
};
