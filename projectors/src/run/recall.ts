import type { EventStore } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/runtime';
import type { Fold, Projection } from './projection.ts';

/**
 * Folds what was handled before the checkpoint into memory: state that only lives there must not start empty. What cannot be
 * read was parked when it was met, and is passed over here as it was there.
 */
export const recall = async (
  store: EventStore,
  { recalls }: Projection,
  fold: Fold,
  upTo: bigint,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<void> => {
  if (recalls.length === 0 || upTo === 0n) return;
  for await (const followed of store.follow({ after: 'start', prefixes: recalls, signal })) {
    if (followed.kind === 'caught-up' || followed.event.position > upTo) return;
    try {
      fold.recall(followed.event);
    } catch (err) {
      const { stream, type, position } = followed.event;
      log.warn({ err, stream, type, position: position.toString() }, 'an event that was parked is passed over');
    }
  }
};
