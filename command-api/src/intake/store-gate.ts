import { EventStoreUnavailable, type EventStore } from '@popsvc/platform/event-store';
import { withDeadline, DeadlineExceeded } from '@popsvc/platform/runtime';
import { turns } from './turns.ts';

const askEveryMs = 200;
export const patienceMs = 3_000;

export interface StoreGate {
  /** Throws at once while the store is known not to answer, so that nobody waits for it and nothing piles up. */
  pass(): void;
  /** The store did not answer: closed until it does. */
  close(): void;
  /** What earlier tries stored is looked for by one request at a time: each reads a minute of a stream and more. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  stop(): void;
}

/** A read for a caller who waits; a store that is silent for longer is taken for one that does not answer. */
export const withinReason = async <T>(gate: Pick<StoreGate, 'close'>, reading: Promise<T>): Promise<T> => {
  try {
    return await withDeadline(reading, patienceMs, 'reading the event store');
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    gate.close();
    throw new EventStoreUnavailable(error.message, { cause: error });
  }
};

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
    inTurn: turns(),
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
