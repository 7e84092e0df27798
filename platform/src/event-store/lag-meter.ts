import type { EventStore } from './port.ts';
import { withDeadline } from '../runtime/index.ts';
import { LogDensity } from './log-density.ts';

/** So many events are counted, for so long; what is more is estimated, and counted again only after a while. */
const [most, patienceMs, againMs] = [1_000, 1_000, 10_000];

interface Counted {
  readonly events: number;
  /** Position of the last of them. */
  readonly last: bigint;
  /** Whether there are no more. */
  readonly isAll: boolean;
}

interface Known {
  readonly density: LogDensity;
  /** When there were too many to count. */
  manyAt: number;
}

/** How many events something has yet to handle; null where the log does not tell. Never throws. */
export type EstimateLag = (key: string, reads: readonly string[], position: bigint) => Promise<number | null>;

const count = async (
  store: Pick<EventStore, 'subscribe'>,
  prefixes: readonly string[],
  position: bigint,
): Promise<Counted> => {
  const stop = new AbortController();
  let [events, last, isAll] = [0, position, false];
  const counting = async () => {
    const after = position === 0n ? 'start' : position;
    for await (const followed of store.subscribe({ after, prefixes, signal: stop.signal })) {
      if (stop.signal.aborted) return;
      if (followed.kind === 'caught-up') {
        isAll = true;
        return;
      }
      [events, last] = [events + 1, followed.event.position];
      if (events >= most) return;
    }
  };
  // What was counted until the log fell silent or went away is worth something, too.
  await withDeadline(counting(), patienceMs, 'counting the lag').catch(() => undefined);
  stop.abort();
  return { events, last, isAll };
};

/**
 * Up to a thousand events are counted in the log. Of more, or where the log is slow, it is estimated from how densely they stood where
 * they were counted, and how far the end of the log is; so asking costs the same however far behind somebody is.
 */
export const createLagMeter = (store: Pick<EventStore, 'subscribe' | 'readHeadPosition'>): EstimateLag => {
  const known = new Map<string, Known>();
  const about = async ({ density }: Known, position: bigint, counted: number): Promise<number | null> => {
    const head = await withDeadline(store.readHeadPosition(), patienceMs, 'asking for the end of the log').catch(
      () => undefined,
    );
    const estimate = head === undefined ? 0 : density.estimateBetween(position, head);
    return Math.max(estimate, counted) || null;
  };
  return async (key, reads, position) => {
    const of = known.get(key) ?? { density: new LogDensity(), manyAt: -Infinity };
    known.set(key, of);
    if (performance.now() - of.manyAt < againMs) {
      const estimate = await about(of, position, 0);
      if (estimate !== null && estimate > 2 * most) return estimate;
    }
    const { events, last, isAll } = await count(store, reads, position);
    if (isAll) return events;
    if (events > 0) of.density.observe({ after: position, upTo: last, events });
    if (events >= most) of.manyAt = performance.now();
    return about(of, position, events);
  };
};
