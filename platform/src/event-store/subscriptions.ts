import { type AllStreamSubscription, type PrefixesFilter, streamNameFilter } from '@eventstore/db-client';
import { translated } from './errors.ts';
import { fromStored } from './event-encoding.ts';
import type { SubscriptionItem } from './port.ts';

/** What a subscription told besides events; `wake` is called with each word. */
interface Heard {
  caughtUp: boolean;
  failure: unknown;
  wake: () => void;
}

const listen = (subscription: AllStreamSubscription): Heard => {
  const heard: Heard = { caughtUp: false, failure: undefined, wake: () => undefined };
  const fail = (error: unknown) => {
    heard.failure ??= error;
    heard.wake();
  };
  subscription
    .on('readable', () => heard.wake())
    .on('caughtUp', () => {
      heard.caughtUp = true;
      heard.wake();
    })
    .on('error', fail)
    .on('end', () => fail(new Error('the subscription ended')));
  return heard;
};

/** How far the server has looked, as it tells on the way; `onMove` hears of each word. */
interface Reached {
  position: bigint;
  onMove: () => void;
}

/** A filter on names of streams that has the server say how far it has come, each time it has looked at so many events. */
export const checkpointed = (
  prefixes: readonly string[],
  every: number,
): { readonly filter: PrefixesFilter; readonly reached: Reached } => {
  const reached: Reached = { position: 0n, onMove: () => undefined };
  const filter = streamNameFilter({
    prefixes: [...prefixes],
    maxSearchWindow: every,
    checkpointInterval: 1,
    checkpointReached: (_, { commit }) => {
      reached.position = commit;
      reached.onMove();
    },
  });
  return { filter, reached };
};

type Resolved = { readonly event?: Parameters<typeof fromStored>[0] } | null;

/** Where to stop; how far the server has looked tells that nothing is left before it. */
interface Bound {
  readonly upTo: bigint;
  readonly reached: Reached;
}

/**
 * A subscription as one sequential loop. `caughtUp` is emitted while earlier events still wait in the buffer, so it is told
 * only once the buffer is empty. The subscription ends with an error when the store goes away; who follows opens a new one.
 */
export async function* followed(
  subscription: AllStreamSubscription,
  signal: AbortSignal,
  bound?: Bound,
): AsyncGenerator<SubscriptionItem> {
  const heard = listen(subscription);
  if (bound) bound.reached.onMove = () => heard.wake();
  const stop = () => heard.wake();
  signal.addEventListener('abort', stop);
  // What was looked at stands in the buffer before it is told; at the position itself another event may still come.
  const isPast = () => bound !== undefined && (heard.caughtUp || bound.reached.position > bound.upTo);
  try {
    while (!signal.aborted) {
      const resolved = subscription.read() as Resolved;
      if (resolved?.event) {
        const event = fromStored(resolved.event);
        if (bound && event.position > bound.upTo) return;
        yield { kind: 'event', event };
      }
      if (resolved !== null) continue;
      if (isPast()) return;
      if (heard.failure !== undefined) throw translated(heard.failure);
      if (heard.caughtUp) {
        heard.caughtUp = false;
        yield { kind: 'caught-up' };
      } else
        await new Promise<void>((resolve) => {
          heard.wake = resolve;
        });
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => undefined);
  }
}
