import { once } from 'node:events';
import { type AllStreamSubscription, type ResolvedEvent, type StreamSubscription } from '@eventstore/db-client';

type AnySubscription = AllStreamSubscription | StreamSubscription;

/** The events and signals of a subscription, in order. */
export interface Followed {
  readonly events: ResolvedEvent[];
  /** 'confirmation', 'caughtUp', and the type of each event. */
  readonly story: string[];
  readonly until: (done: () => boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const give = 60_000;

/** Reads a subscription; its error fails a waiting caller. */
export const follow = (subscription: AnySubscription): Followed => {
  const events: ResolvedEvent[] = [];
  const story: string[] = [];
  let failure: Error | undefined;
  let look: () => void = () => undefined;
  const record = (what: string): void => {
    story.push(what);
    look();
  };
  subscription.on('confirmation', () => record('confirmation'));
  subscription.on('caughtUp', () => record('caughtUp'));
  subscription.on('error', (error: Error) => {
    failure = error;
    look();
  });
  subscription.on('data', (event: ResolvedEvent) => {
    events.push(event);
    record(event.event?.type ?? event.link?.type ?? 'nothing');
  });
  return {
    events,
    story,
    until: (done) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not within ${give} ms: ${story.slice(-20).join(' ')}`)), give);
        look = () => {
          if (!failure && !done()) return;
          clearTimeout(timer);
          if (failure) reject(failure);
          else resolve();
        };
        look();
      }),
    stop: async () => {
      const closed = once(subscription, 'close');
      await subscription.unsubscribe();
      subscription.destroy();
      await closed;
    },
  };
};
