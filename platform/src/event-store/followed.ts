import type { AllStreamSubscription } from '@eventstore/db-client';
import type { Reached } from './checkpointed.ts';
import { fromStored } from './envelope.ts';
import { listen } from './heard.ts';
import type { SubscriptionItem } from './port.ts';
import { translated } from './translate.ts';

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
