import { type AllStreamSubscription, type PrefixesFilter, streamNameFilter } from '@eventstore/db-client';
import { toEventStoreError } from './errors.ts';
import { toLogEvent } from './event-encoding.ts';
import type { SubscriptionItem } from './port.ts';

/** State of a subscription. Listeners on the client's subscription object update the state and call `wake` after each change. */
interface SubscriptionState {
  isCaughtUp: boolean;
  failure: unknown;
  wake: () => void;
}

const observe = (subscription: AllStreamSubscription): SubscriptionState => {
  const state: SubscriptionState = { isCaughtUp: false, failure: undefined, wake: () => undefined };
  const fail = (error: unknown) => {
    state.failure ??= error;
    state.wake();
  };
  subscription
    .on('readable', () => state.wake())
    .on('caughtUp', () => {
      state.isCaughtUp = true;
      state.wake();
    })
    .on('error', fail)
    .on('end', () => fail(new Error('the event store ended the subscription')));
  return state;
};

const waitForChange = (state: SubscriptionState): Promise<void> =>
  new Promise((resolve) => {
    state.wake = resolve;
  });

/** How far the server has searched the log. `onMove` is called whenever `position` changes. */
interface SearchProgress {
  position: bigint;
  onMove: () => void;
}

/** Creates a filter for stream names. The server reports its progress after every `interval` events that it has searched. */
export const filterWithCheckpoints = (
  prefixes: readonly string[],
  interval: number,
): { readonly filter: PrefixesFilter; readonly progress: SearchProgress } => {
  const progress: SearchProgress = { position: 0n, onMove: () => undefined };
  const filter = streamNameFilter({
    prefixes: [...prefixes],
    maxSearchWindow: interval,
    checkpointInterval: 1,
    checkpointReached: (_, { commit }) => {
      progress.position = commit;
      progress.onMove();
    },
  });
  return { filter, progress };
};

type ResolvedItem = { readonly event?: Parameters<typeof toLogEvent>[0] } | null;

/**
 * The position where a subscription ends. Once `progress.position` is above `upTo`, the server has found all matching events up
 * to `upTo`.
 */
interface EndPosition {
  readonly upTo: bigint;
  readonly progress: SearchProgress;
}

/**
 * Reads a subscription in one sequential loop. The client emits `caughtUp` while earlier events are still in its buffer, so
 * `caught-up` is yielded once the buffer is empty. Throws when the connection is lost; the caller may then subscribe again.
 */
export async function* readSubscription(
  subscription: AllStreamSubscription,
  signal: AbortSignal,
  end?: EndPosition,
): AsyncGenerator<SubscriptionItem> {
  const state = observe(subscription);
  if (end) end.progress.onMove = () => state.wake();
  const stop = () => state.wake();
  signal.addEventListener('abort', stop);
  // When the server reports that it has searched the log up to a position, all matching events before the position are in the
  // buffer. A matching event at the position itself may still arrive.
  const isPastEnd = () => end !== undefined && (state.isCaughtUp || end.progress.position > end.upTo);
  try {
    while (!signal.aborted) {
      const item = subscription.read() as ResolvedItem;
      if (item?.event) {
        const event = toLogEvent(item.event);
        if (end && event.position > end.upTo) return;
        yield { kind: 'event', event };
      }
      if (item !== null) continue;
      if (isPastEnd()) return;
      if (state.failure !== undefined) throw toEventStoreError(state.failure);
      if (state.isCaughtUp) {
        state.isCaughtUp = false;
        yield { kind: 'caught-up' };
      } else await waitForChange(state);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => undefined);
  }
}
