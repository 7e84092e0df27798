import type { AllStreamSubscription } from '@eventstore/db-client';
import type { Reached } from './checkpointed.ts';
import { listen } from './heard.ts';
import type { SplitOptions } from './port.ts';
import { translated } from './translate.ts';

/** What a subscription that is sent nothing tells of how far it has come, as far as that stands before `upTo`. */
export async function* marked(
  subscription: AllStreamSubscription,
  reached: Reached,
  { upTo, signal }: Pick<SplitOptions, 'upTo' | 'signal'>,
): AsyncGenerator<bigint> {
  const heard = listen(subscription);
  const told: bigint[] = [];
  reached.onMove = () => {
    told.push(reached.position);
    heard.wake();
  };
  const stop = () => heard.wake();
  signal.addEventListener('abort', stop);
  try {
    while (!signal.aborted) {
      // A stream nobody reads from passes nothing on, not even what it is told besides events.
      subscription.read();
      const next = told.shift();
      if (next !== undefined) {
        if (next >= upTo) return;
        yield next;
        continue;
      }
      if (heard.failure !== undefined) throw translated(heard.failure);
      if (heard.caughtUp) return;
      await new Promise<void>((resolve) => {
        heard.wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => undefined);
  }
}
