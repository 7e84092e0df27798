import { lastSequenceAt } from '@popsvc/contracts/events';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Fold, Projection } from '../projection.ts';
import { failWhenSilent } from '../event-log.ts';
import { splitEvent } from '../log-items.ts';
import type { ParkingDecisions } from './decisions.ts';
import { UnfoldableEvent } from './parking-errors.ts';

/** Throws `UnfoldableEvent` if an item of a state stream cannot be folded, and `EventStoreUnavailable` if the log sends nothing in time. */
export const restoreState = async (
  store: Pick<EventStore, 'subscribe'>,
  { name, stateStreams }: Pick<Projection, 'name' | 'stateStreams'>,
  fold: Pick<Fold, 'restore'>,
  upTo: bigint,
  decisions: Pick<ParkingDecisions, 'isSkipped'>,
  signal: AbortSignal,
): Promise<void> => {
  if (stateStreams.length === 0 || upTo === 0n) return;
  const follow = (ending: AbortSignal) => store.subscribe({ after: 'start', prefixes: stateStreams, signal: ending });
  for await (const followed of failWhenSilent(follow, signal)) {
    if (followed.kind === 'caught-up' || followed.event.position > upTo) return;
    for (const item of splitEvent(followed.event)) {
      if (decisions.isSkipped(item.sequence, lastSequenceAt(upTo))) continue;
      try {
        fold.restore(item);
      } catch (error) {
        throw new UnfoldableEvent(name, item, error);
      }
    }
  }
};
