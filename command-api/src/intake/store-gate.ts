import { EventStoreUnavailable, type EventStore } from '@popsvc/platform/event-store';

const askEveryMs = 200;

export interface StoreGate {
  /** Throws at once while the store is known not to answer, so that nobody waits for it and nothing piles up. */
  pass(): void;
  /** The store did not answer: closed until it does. */
  close(): void;
  stop(): void;
}

/** Knows whether the store answers. After one failure a single question is kept up; everybody else is told at once. */
export const storeGate = (store: Pick<EventStore, 'ping'>): StoreGate => {
  let [shut, stopped] = [false, false];
  const ask = async () => {
    while (!stopped) {
      try {
        await store.ping();
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, askEveryMs).unref());
      }
    }
    shut = false;
  };
  return {
    pass() {
      if (shut) throw new EventStoreUnavailable('the event store does not answer');
    },
    close() {
      if (shut || stopped) return;
      shut = true;
      void ask();
    },
    stop() {
      stopped = true;
    },
  };
};
