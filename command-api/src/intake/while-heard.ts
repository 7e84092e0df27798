import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { patienceMs, type StoreGate } from './store-gate.ts';

export interface Reading {
  /** Something came. */
  readonly heard: () => void;
  /** Aborted when it is not waited for any more. */
  readonly signal: AbortSignal;
}

/** A long read for a caller who waits: a store of which nothing comes for a while is taken for one that does not answer. */
export const whileHeard = async <T>(
  gate: Pick<StoreGate, 'close'>,
  read: (reading: Reading) => Promise<T>,
): Promise<T> => {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      gate.close();
      reject(new EventStoreUnavailable(`nothing came of the event store for ${patienceMs} ms`));
    }, patienceMs);
  });
  try {
    return await Promise.race([read({ heard: () => timer?.refresh(), signal: end.signal }), silent]);
  } finally {
    clearTimeout(timer);
    end.abort();
  }
};
