import type { EventStore } from '@popsvc/platform/event-store';
import type { Fold, Projection } from './projection.ts';

/** Folds what was handled before the checkpoint into memory: state that only lives there must not start empty. */
export const recall = async (
  store: EventStore,
  { recalls }: Projection,
  fold: Fold,
  upTo: bigint,
  signal: AbortSignal,
): Promise<void> => {
  if (recalls.length === 0 || upTo === 0n) return;
  for await (const followed of store.follow({ after: 'start', prefixes: recalls, signal })) {
    if (followed.kind === 'caught-up' || followed.event.position > upTo) return;
    fold.recall(followed.event);
  }
};
