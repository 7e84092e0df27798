import { ApiError } from '@popsvc/contracts/errors';
import { type EventStore, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import type { IntakeTimeouts } from './timeouts.ts';

const pingIntervalMs = 200;

/** While the event store is unavailable, requests fail at once instead of piling up. */
export interface EventStoreCircuit {
  readonly readTimeoutMs: number;
  /** Throws EventStoreUnavailable while the event store is known to be unavailable. */
  requireAvailable(): void;
  /** `requireAvailable` throws from now on, until a ping succeeds. */
  reportUnavailable(): void;
  /** Runs one task at a time, because each may read more than a minute of events. Throws UNAVAILABLE if too many tasks wait. */
  readonly runSerially: <T>(work: () => Promise<T>) => Promise<T>;
  stop(): void;
}

export const createEventStoreCircuit = (
  store: Pick<EventStore, 'ping'>,
  { readMs }: Pick<IntakeTimeouts, 'readMs'>,
): EventStoreCircuit => {
  let isUnavailable = false;
  let isStopped = false;
  const pingUntilAvailable = async () => {
    while (!isStopped) {
      try {
        await store.ping();
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pingIntervalMs).unref());
      }
    }
    isUnavailable = false;
  };
  return {
    readTimeoutMs: readMs,
    requireAvailable() {
      if (isUnavailable) throw new EventStoreUnavailable('the event store does not answer');
    },
    runSerially: createSerialQueue(),
    reportUnavailable() {
      if (isUnavailable || isStopped) return;
      isUnavailable = true;
      void pingUntilAvailable();
    },
    stop() {
      isStopped = true;
    },
  };
};

/** Includes the running task. */
const maxWaiting = 32;

const createSerialQueue = () => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= maxWaiting)
      throw new ApiError('UNAVAILABLE', 'Too many retried requests at the same time; try again.', {
        retryAfterSeconds: 2,
      });
    waiting += 1;
    const result = last.then(work).finally(() => (waiting -= 1));
    last = result.catch(() => undefined);
    return result;
  };
};

/** After `readTimeoutMs`, reports the event store as unavailable and throws EventStoreUnavailable. */
export const readWithTimeout = async <T>(
  circuit: Pick<EventStoreCircuit, 'reportUnavailable' | 'readTimeoutMs'>,
  reading: Promise<T>,
): Promise<T> => {
  try {
    return await withDeadline(reading, circuit.readTimeoutMs, 'reading the event store');
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
    circuit.reportUnavailable();
    throw new EventStoreUnavailable(error.message, { cause: error });
  }
};

export interface ReadObserver {
  /** Restarts the timeout. The reader must call this for each event. */
  readonly onEvent: () => void;
  readonly signal: AbortSignal;
}

/** If no event arrives for `readTimeoutMs`, reports the event store as unavailable and throws EventStoreUnavailable. */
export const readWithIdleTimeout = async <T>(
  circuit: Pick<EventStoreCircuit, 'reportUnavailable' | 'readTimeoutMs'>,
  read: (observer: ReadObserver) => Promise<T>,
): Promise<T> => {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const idle = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      circuit.reportUnavailable();
      reject(new EventStoreUnavailable(`the event store sent no event for ${circuit.readTimeoutMs} ms`));
    }, circuit.readTimeoutMs);
  });
  try {
    return await Promise.race([read({ onEvent: () => timer?.refresh(), signal: end.signal }), idle]);
  } finally {
    clearTimeout(timer);
    end.abort();
  }
};
