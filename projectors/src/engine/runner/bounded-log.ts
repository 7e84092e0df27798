import type { EventStore, SubscribeOptions } from '@popsvc/platform/event-store';
import { isMainSubscription } from './without-end.ts';

/** Told once, with the position of the last event that was passed on; undefined when there was none. */
type OnEnd = (last: bigint | undefined) => void;

/**
 * The log as if it ended at a position, for who follows `prefixes`, the very list, without an end of his own: past the end nothing
 * comes until the signal. What else follows the log sees all of it, as who mends a part of a build must.
 */
export const endLogAt = (
  store: EventStore,
  { prefixes, upTo }: { readonly prefixes: readonly string[]; readonly upTo: bigint },
  onEnd: OnEnd,
): EventStore => {
  async function* bounded(options: SubscribeOptions) {
    let last: bigint | undefined;
    for await (const followed of store.subscribe(options)) {
      if (followed.kind === 'caught-up' || followed.event.position > upTo) break;
      last = followed.event.position;
      yield followed;
    }
    if (options.signal.aborted) return;
    yield { kind: 'caught-up' as const };
    onEnd(last);
    await new Promise<void>((resolve) => {
      if (options.signal.aborted) resolve();
      else options.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
  const isBounded = isMainSubscription(prefixes);
  return { ...store, subscribe: (options) => (isBounded(options) ? bounded(options) : store.subscribe(options)) };
};
