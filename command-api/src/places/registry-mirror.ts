import { streamPrefixes } from '@popsvc/contracts/events';
import { emptyRegistry, type Registry } from '@popsvc/domain/registry';
import type { EventStore } from '@popsvc/platform/event-store';
import { applyRegistryEvent } from '@popsvc/platform/registry';
import type { Log } from '@popsvc/platform/telemetry';

/** The registry as the log tells it, kept in memory by a subscription of its own. */
export interface RegistryMirror {
  readonly registry: Registry;
  /** Throws while what the log knows is not known here yet. */
  ready(): Promise<void>;
  /** Whether the event at this position was taken in, within so many milliseconds. */
  reaches(position: bigint, withinMs: number): Promise<boolean>;
  stop(): void;
}

const backOffMs = { first: 100, most: 5_000 };
const lookEveryMs = 10;

export const mirrorRegistry = (store: Pick<EventStore, 'subscribe'>, log: Log): RegistryMirror => {
  const registry = emptyRegistry();
  let last: bigint | 'start' = 'start';
  let [caughtUp, stopped] = [false, false];
  let subscription = new AbortController();

  const follow = async (signal: AbortSignal, alive: () => void) => {
    for await (const told of store.subscribe({ after: last, prefixes: [streamPrefixes.registry], signal })) {
      if (told.kind === 'caught-up') caughtUp = true;
      else {
        applyRegistryEvent(registry, told.event, log);
        last = told.event.position;
      }
      alive();
    }
  };

  const keepFollowing = async () => {
    let wait = backOffMs.first;
    while (!stopped) {
      subscription = new AbortController();
      try {
        await follow(subscription.signal, () => (wait = backOffMs.first));
      } catch (err) {
        log.warn({ err, after: String(last) }, 'the registry cannot be followed; trying again');
      }
      caughtUp = false;
      await new Promise((resolve) => setTimeout(resolve, wait).unref());
      wait = Math.min(wait * 2, backOffMs.most);
    }
  };
  void keepFollowing();

  return {
    registry,
    ready: () => (caughtUp ? Promise.resolve() : Promise.reject(new Error('the registry is still being read'))),
    async reaches(position, withinMs) {
      const until = performance.now() + withinMs;
      while (last === 'start' || last < position) {
        if (performance.now() > until) {
          // Silent though there is something to tell: the subscription is dead. The next one starts where it stopped.
          subscription.abort();
          return false;
        }
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
      return true;
    },
    stop() {
      stopped = true;
      subscription.abort();
    },
  };
};
