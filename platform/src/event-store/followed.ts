import type { AllStreamSubscription } from '@eventstore/db-client';
import { fromStored } from './envelope.ts';
import type { Followed } from './port.ts';
import { translated } from './translate.ts';

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

type Resolved = { readonly event?: Parameters<typeof fromStored>[0] } | null;

/**
 * A subscription as one sequential loop. `caughtUp` is emitted while earlier events still wait in the buffer, so it is told
 * only once the buffer is empty. The subscription ends with an error when the store goes away; who follows opens a new one.
 */
export async function* followed(subscription: AllStreamSubscription, signal: AbortSignal): AsyncGenerator<Followed> {
  const heard = listen(subscription);
  const stop = () => heard.wake();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      const resolved = subscription.read() as Resolved;
      if (resolved?.event) yield { kind: 'event', event: fromStored(resolved.event) };
      if (resolved !== null) continue;
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
