import type { EventStore } from '@popsvc/platform/event-store';
import {
  countEvents,
  type EventTypeAccount,
  type LeaseKey,
  readTally,
  replaceNulCharacters,
  type Tally,
} from '@popsvc/platform/postgres';
import { readLogRange, type SilenceTimeout } from '../event-log.ts';
import { splitEvent } from '../log-items.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { Projection } from '../projection.ts';

/** The items to count: those of all streams whose names begin with one of `prefixes`, from the start of the log to `upTo`. */
export interface LogCount {
  readonly prefixes: readonly string[];
  /** Position of the last event to count, inclusive. */
  readonly upTo: bigint;
}

/** Number of items by event type. */
export type LogCounts = Readonly<Record<string, number>>;

/** Counts the items in the log by event type, without folding them. */
export type CountLog = (count: LogCount, onCounted: (items: number) => void, signal: AbortSignal) => Promise<LogCounts>;

/** Progress is reported each time this many more items have been counted. */
const everyItems = 10_000;

export const countLog =
  (store: Pick<EventStore, 'subscribe'>, silenceTimeout?: SilenceTimeout): CountLog =>
  async ({ prefixes, upTo }, onCounted, signal) => {
    const counts = new Map<string, number>();
    let items = 0;
    for await (const event of readLogRange(store, { after: 0n, upTo, prefixes }, signal, silenceTimeout)) {
      const type = replaceNulCharacters(event.type);
      const { length } = splitEvent(event);
      counts.set(type, (counts.get(type) ?? 0) + length);
      if (Math.floor((items + length) / everyItems) > Math.floor(items / everyItems)) onCounted(items + length);
      items += length;
    }
    signal.throwIfAborted();
    onCounted(items);
    return Object.fromEntries(counts);
  };

/** A background process is used only to count more events than this. Counting fewer takes less time than starting a process. */
const minBackgroundEvents = 20_000;

/** For each event type, compares the number of counted outcomes with the number of events in the log. */
export const compareWithLog = (
  { rowEventTypes }: Pick<Projection, 'rowEventTypes'>,
  inLog: LogCounts,
  tally: Tally,
): readonly EventTypeAccount[] =>
  [...new Set([...Object.keys(inLog), ...Object.keys(tally)])].sort().map((type) => {
    const { rows, skipped, none } = tally[type] ?? { rows: 0, skipped: 0, none: 0 };
    const there = inLog[type] ?? 0;
    const isRight = there === rows + skipped + none && (none === 0 || !rowEventTypes.includes(type));
    return { type, in_log: there, with_rows: rows, skipped: skipped, without_rows: none, is_consistent: isRight };
  });

/**
 * Returns the outcomes of all events that a generation was built from. Returns undefined when some events were not counted. This
 * happens if a process with an older software version took part in the build. It also happens if ClickHouse lost the recorded end
 * positions of batches. A repeated batch may then contain both counted and uncounted events.
 */
export const readCompleteTally = async (
  { postgres, checkpoints }: Pick<RunnerDependencies, 'postgres' | 'checkpoints'>,
  key: LeaseKey,
): Promise<Tally | undefined> => {
  const [tallied, { position }] = await Promise.all([readTally(postgres, key), checkpoints.read(key)]);
  return tallied?.to === position ? tallied.tally : undefined;
};

export interface AccountedGeneration {
  readonly projection: Projection;
  readonly tallied: Tally;
  /** Position of the last event that is counted. */
  readonly upTo: bigint;
}

interface AccountDependencies extends Pick<RunnerDependencies, 'store' | 'silenceTimeout'> {
  readonly countInBackground?: CountLog;
}

/**
 * Compares the event outcomes counted while a generation was built with the events in the log. Reads the log once, from the
 * start to `upTo`.
 */
export const accountForEvents = async (
  { store, silenceTimeout, countInBackground }: AccountDependencies,
  { projection, tallied, upTo }: AccountedGeneration,
  onRead: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<readonly EventTypeAccount[]> => {
  const all = countEvents(tallied);
  onRead(0, all);
  const count = all > minBackgroundEvents && countInBackground ? countInBackground : countLog(store, silenceTimeout);
  const counts = await count({ prefixes: projection.streams, upTo }, (done) => onRead(done, all), signal);
  return compareWithLog(projection, counts, tallied);
};
