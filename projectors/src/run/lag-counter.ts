import type { EventStore } from '@popsvc/platform/event-store';
import { lagEvents } from './lag-events.ts';

interface Counted {
  readonly events: number;
  readonly atMs: number;
  readonly tookMs: number;
}

/** Of the time, so much at most goes into counting for one projection; below so many events it is always counted anew. */
const [share, small] = [1 / 50, 1_000];

/** How many events something has yet to handle. A large number is told again for a while: reading the log to count it is work. */
export type LagOf = (key: string, reads: readonly string[], position: bigint) => Promise<number>;

export const lagCounter = (store: EventStore): LagOf => {
  const known = new Map<string, Counted>();
  return async (key, reads, position) => {
    const before = known.get(key);
    const began = performance.now();
    if (before && before.events >= small && began - before.atMs < before.tookMs / share) return before.events;
    const events = await lagEvents(store, reads, position);
    const atMs = performance.now();
    known.set(key, { events, atMs, tookMs: atMs - began });
    return events;
  };
};
