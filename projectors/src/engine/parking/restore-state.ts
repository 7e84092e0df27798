import { formatItemId, lastSequenceAt } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';
import type { SkippedEvents } from './skipped-events.ts';
import type { Projection } from '../projection.ts';
import { failWhenSilent } from '../event-log.ts';
import { type LogItem, splitEvent } from '../log-items.ts';

export interface RestoreOptions {
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Reports which items the generation has parked or discarded. */
  readonly skipped: Pick<SkippedEvents, 'isSkipped'>;
  /** Called with an item that cannot be folded. Default: logs a warning. */
  readonly onRefused?: (item: LogItem, error: unknown) => void;
}

/** Restores the state that a projection keeps in memory, by folding the events of its state streams up to a log position. */
export const restoreState = async (
  store: Pick<EventStore, 'subscribe'>,
  { name, stateStreams }: Pick<Projection, 'name' | 'stateStreams'>,
  into: { restore(item: LogItem): void },
  upTo: bigint,
  { signal, log, skipped, onRefused }: RestoreOptions,
): Promise<void> => {
  if (stateStreams.length === 0 || upTo === 0n) return;
  const follow = (ending: AbortSignal) => store.subscribe({ after: 'start', prefixes: stateStreams, signal: ending });
  for await (const followed of failWhenSilent(follow, signal)) {
    if (followed.kind === 'caught-up' || followed.event.position > upTo) return;
    for (const item of splitEvent(followed.event)) {
      if (skipped.isSkipped(item, lastSequenceAt(upTo))) continue;
      try {
        into.restore(item);
      } catch (error) {
        const { stream, type, sequence } = item;
        if (onRefused) onRefused(item, error);
        else {
          const fields = { err: error, projection: name, stream, type, position: formatItemId(sequence) };
          log.warn(fields, 'failed to apply event while restoring the state of a projection; event skipped');
        }
      }
    }
  }
};
