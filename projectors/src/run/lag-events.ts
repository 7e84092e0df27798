import type { EventStore } from '@popsvc/platform/event-store';
import { deadline } from '@popsvc/platform/runtime';

const most = 10_000;
const patienceMs = 5_000;

/** How many events a projection has yet to handle, counted in the log; 10,000 stands for that many or more. */
export const lagEvents = async (store: EventStore, reads: readonly string[], position: bigint): Promise<number> => {
  const stop = new AbortController();
  const count = async () => {
    let events = 0;
    const after = position === 0n ? 'start' : position;
    for await (const { kind } of store.follow({ after, prefixes: reads, signal: stop.signal })) {
      if (kind === 'caught-up' || ++events >= most) break;
    }
    return events;
  };
  try {
    return await deadline(count(), patienceMs, 'counting the lag');
  } finally {
    stop.abort();
  }
};
