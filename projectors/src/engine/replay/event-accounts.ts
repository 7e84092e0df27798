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
    return { type, in_log: there, made_rows: rows, set_aside: skipped, made_none: none, is_right: isRight };
  });

/**
 * What a generation says became of the events it was built of, all of them; undefined where nobody counted: a process of an older
 * build had a part in it.
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
  /** Up to where the log is counted. */
  readonly upTo: bigint;
}

/** Holds what a generation says became of its events against the log, which is read for it once more, as it is. */
export const accountForEvents = async (
  { store, silenceTimeout, countInLog }: ReplayDependencies,
  { projection, tallied, upTo }: AccountedGeneration,
  onRead: (done: number, of: number) => void,
  signal: AbortSignal,
): Promise<readonly EventTypeAccount[]> => {
  const all = countEvents(tallied);
  onRead(0, all);
  const here = countLog(store, silenceTimeout);
  // A process of its own takes longer to begin than so many events take to be read.
  const count = all > fewEvents && countInLog ? countInLog : here;
  const counts = await count({ prefixes: projection.reads, upTo }, (done) => onRead(done, all), signal);
  return compareWithLog(projection, counts, tallied);
};
