import type { EventStore } from '@popsvc/platform/event-store';
import { countsEvent, ownsEvent, type Partition, selectStreams } from '@popsvc/domain/partitioning';
import {
  addTallies,
  countItems,
  emptyTally,
  type EventTypeAccount,
  readTally,
  replaceNulCharacters,
  type Tally,
} from '@popsvc/platform/postgres';
import { readLogRange, type SilenceTimeout } from '../event-log.ts';
import { splitEvent } from '../log-items.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import { type ProjectionUnit, unitKeyOf } from '../units.ts';
import type { Projection } from '../projection.ts';

/** The items to count: those that a partition counts, from the start of the log to `upTo`. `prefixes`: of the projection's streams. */
export interface LogCount {
  readonly prefixes: readonly string[];
  readonly partition: Partition;
  /** Position of the last event to count, inclusive. */
  readonly upTo: bigint;
}

export type LogCounts = Readonly<Record<string, number>>;

/** Counts the items in the log by event type, without folding them. */
export type CountLog = (count: LogCount, onCounted: (items: number) => void, signal: AbortSignal) => Promise<LogCounts>;

/** Progress is reported each time this many more items have been counted. */
const everyItems = 10_000;

export const countLog =
  (store: Pick<EventStore, 'subscribe'>, silenceTimeout?: SilenceTimeout): CountLog =>
  async ({ prefixes, partition, upTo }, onCounted, signal) => {
    const counts = new Map<string, number>();
    let items = 0;
    for await (const event of readLogRange(
      store,
      { after: 0n, upTo, ...selectStreams(prefixes, partition) },
      signal,
      silenceTimeout,
    )) {
      if (!ownsEvent(partition, event) || !countsEvent(partition, event)) continue;
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

/** A background process is used only to count more items than this. Counting fewer takes less time than starting a process. */
const minBackgroundItems = 20_000;

/** For each event type, compares the number of counted outcomes with the number of items in the log. */
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
  units: readonly ProjectionUnit[],
): Promise<Tally | undefined> => {
  let sum = emptyTally;
  for (const key of units.map(unitKeyOf)) {
    const [tallied, { position }] = await Promise.all([readTally(postgres, key), checkpoints.read(key)]);
    if (tallied?.to !== position) return undefined;
    sum = addTallies(sum, tallied.tally);
  }
  return sum;
};

export interface AccountedGeneration {
  readonly units: readonly ProjectionUnit[];
  readonly tallied: Tally;
  /** Positions of the last events that are counted, by partition. */
  readonly upTo: readonly bigint[];
}

interface AccountDependencies extends Pick<RunnerDependencies, 'store' | 'silenceTimeout'> {
  readonly countInBackground?: CountLog;
}

/**
 * Compares the event outcomes counted while a generation was built with the events in the log. Reads the log once for each
 * partition, from the start to `upTo`.
 */
export const accountForEvents = async (
  { store, silenceTimeout, countInBackground }: AccountDependencies,
  { units, tallied, upTo }: AccountedGeneration,
  onRead: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<readonly EventTypeAccount[]> => {
  const all = countItems(tallied);
  onRead(0, all);
  const count = all > minBackgroundItems && countInBackground ? countInBackground : countLog(store, silenceTimeout);
  const counts = new Map<string, number>();
  let before = 0;
  for (const [index, { projection, partition }] of units.entries()) {
    let ofUnit = 0;
    const onCounted = (done: number) => {
      ofUnit = done;
      onRead(before + done, all);
    };
    const logCount = { prefixes: projection.streams, partition, upTo: upTo[index]! };
    for (const [type, items] of Object.entries(await count(logCount, onCounted, signal)))
      counts.set(type, (counts.get(type) ?? 0) + items);
    before += ofUnit;
  }
  return compareWithLog(units[0]!.projection, Object.fromEntries(counts), tallied);
};
