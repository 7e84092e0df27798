import { type EventTypeAccount, countEvents, type LeaseKey, readTally, type Tally } from '@popsvc/platform/postgres';
import { countLog, type LogCounts } from '../parallel-build/log-counter.ts';
import type { Projection } from '../projection.ts';
import type { ReplayDependencies } from './dependencies.ts';

const fewEvents = 20_000;

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
 * Returns the outcomes of all events that a generation was built from; undefined when they were not counted, because a
 * process of an older build took part.
 */
export const readCompleteTally = async (
  { postgres, checkpoints }: Pick<ReplayDependencies, 'postgres' | 'checkpoints'>,
  key: LeaseKey,
): Promise<Tally | undefined> => {
  const [tallied, { position }] = await Promise.all([readTally(postgres, key), checkpoints.read(key)]);
  return tallied?.to === position ? tallied.tally : undefined;
};

export interface AccountedGeneration {
  readonly projection: Projection;
  readonly tallied: Tally;
  /** Last position that is counted. */
  readonly upTo: bigint;
}

/** Compares the outcomes that a generation counted with the events of the log, which is read once more for this. */
export const accountForEvents = async (
  { store, silenceTimeout, countInLog }: ReplayDependencies,
  { projection, tallied, upTo }: AccountedGeneration,
  onRead: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<readonly EventTypeAccount[]> => {
  const all = countEvents(tallied);
  onRead(0, all);
  const here = countLog(store, silenceTimeout);
  // Starting a process takes longer than reading this many events.
  const count = all > fewEvents && countInLog ? countInLog : here;
  const counts = await count({ prefixes: projection.reads, upTo }, (done) => onRead(done, all), signal);
  return compareWithLog(projection, counts, tallied);
};
