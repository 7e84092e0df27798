import { withDeadline } from '../runtime/index.ts';
import type { EventStore, SubscribeOptions } from './port.ts';

export interface ObservedSpan {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly events: number;
}

const halfLife = 16;
const decay = 0.5 ** (1 / halfLife);

/** Moving average of the number of a consumer's events per log position. */
export class LogDensity {
  #events = 0;
  #positions = 0;

  observe({ after, upTo, events }: ObservedSpan): void {
    this.#events = this.#events * decay + events;
    this.#positions = this.#positions * decay + Number(upTo - after);
  }

  estimateBetween(after: bigint, upTo: bigint): number {
    if (upTo <= after || this.#positions === 0) return 0;
    return Math.round((Number(upTo - after) * this.#events) / this.#positions);
  }
}

const maxCountedEvents = 1_000;
const timeoutMs = 1_000;
/** For this many ms after a count has reached `maxCountedEvents`, a lag of more than twice that number is only estimated. */
const recountAfterMs = 10_000;

interface CountedEvents {
  readonly events: number;
  /** Position of the last counted event, or the starting position if none was counted. */
  readonly last: bigint;
  readonly isComplete: boolean;
}

interface KnownLag {
  readonly density: LogDensity;
  /** Monotonic time in ms of the last count that reached `maxCountedEvents`. */
  exceededAt: number;
}

/** Returns how many events the consumer `key` has not handled, perhaps estimated; null if unknown. Never throws. */
export type EstimateLag = (
  key: string,
  streams: Pick<SubscribeOptions, 'prefixes' | 'pattern'>,
  position: bigint,
) => Promise<number | null>;

const countEvents = async (
  store: Pick<EventStore, 'subscribe'>,
  streams: Pick<SubscribeOptions, 'prefixes' | 'pattern'>,
  position: bigint,
): Promise<CountedEvents> => {
  const stop = new AbortController();
  const counted = { events: 0, last: position, isComplete: false };
  const count = async () => {
    const after = position === 0n ? 'start' : position;
    for await (const item of store.subscribe({ after, ...streams, signal: stop.signal })) {
      if (stop.signal.aborted) return;
      if (item.kind === 'caught-up') {
        counted.isComplete = true;
        return;
      }
      counted.events += 1;
      counted.last = item.event.position;
      if (counted.events >= maxCountedEvents) return;
    }
  };
  // The events that were counted before a timeout or an error still improve the estimate.
  await withDeadline(count(), timeoutMs, 'counting the lag').catch(() => undefined);
  stop.abort();
  return { ...counted };
};

export const createLagMeter = (store: Pick<EventStore, 'subscribe' | 'readHeadPosition'>): EstimateLag => {
  const knownLags = new Map<string, KnownLag>();
  const estimate = async ({ density }: KnownLag, position: bigint, counted: number): Promise<number | null> => {
    const head = await withDeadline(store.readHeadPosition(), timeoutMs, 'reading the end of the log').catch(
      () => undefined,
    );
    const estimated = head === undefined ? 0 : density.estimateBetween(position, head);
    return Math.max(estimated, counted) || null;
  };
  return async (key, streams, position) => {
    const known = knownLags.get(key) ?? { density: new LogDensity(), exceededAt: -Infinity };
    knownLags.set(key, known);
    if (performance.now() - known.exceededAt < recountAfterMs) {
      const estimated = await estimate(known, position, 0);
      if (estimated !== null && estimated > 2 * maxCountedEvents) return estimated;
    }
    const { events, last, isComplete } = await countEvents(store, streams, position);
    if (isComplete) return events;
    if (events > 0) known.density.observe({ after: position, upTo: last, events });
    if (events >= maxCountedEvents) known.exceededAt = performance.now();
    return estimate(known, position, events);
  };
};
