import type { EventStore } from '@popsvc/platform/event-store';
import { replaceNulCharacters } from '@popsvc/platform/postgres';
import { readLogRange, type SilenceTimeout } from '../event-log.ts';

/** The range of the log to count. */
export interface LogCount {
  readonly prefixes: readonly string[];
  /** Position of the last event, inclusive. */
  readonly upTo: bigint;
}

/** Number of events by type. */
export type LogCounts = Readonly<Record<string, number>>;

/** Counts the events of the log by type, without folding them. */
export type CountLog = (
  count: LogCount,
  onCounted: (events: number) => void,
  signal: AbortSignal,
) => Promise<LogCounts>;

/** Interval of progress reports, in events. */
const everyEvents = 10_000;

export const countLog =
  (store: Pick<EventStore, 'subscribe'>, silenceTimeout?: SilenceTimeout): CountLog =>
  async ({ prefixes, upTo }, onCounted, signal) => {
    const counts = new Map<string, number>();
    let events = 0;
    for await (const event of readLogRange(store, { after: 0n, upTo, prefixes }, signal, silenceTimeout)) {
      const type = replaceNulCharacters(event.type);
      counts.set(type, (counts.get(type) ?? 0) + 1);
      events += 1;
      if (events % everyEvents === 0) onCounted(events);
    }
    signal.throwIfAborted();
    onCounted(events);
    return Object.fromEntries(counts);
  };
