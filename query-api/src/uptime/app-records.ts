import { invalidParam } from '@popsvc/contracts/errors';
import type { AppState } from '@popsvc/contracts/vocabulary';
import type { Span } from '@popsvc/domain/spans';
import { type HeartbeatRun, intervalsFromRuns, type IntervalRecord } from '@popsvc/domain/uptime';
import type { ClickHouseReader } from '@popsvc/platform/clickhouse';
import { type AppOnDevice, appIntervalsQuery, beatRunsQuery, type RunsWanted } from '../queries/index.ts';
import { type ReadRuns, runsAround } from './runs-around.ts';

type Flag = 0 | 1;
/** Heartbeats, each one number (`beatRunsQuery`). */
interface StoredRuns {
  readonly starts: readonly number[];
  readonly befores: readonly number[];
  readonly last: number;
}
interface StoredIntervals {
  readonly intervals: readonly (readonly [number, number | null, number | null, Flag])[];
}

/** A year in which an app was heard every three minutes and a second has 175,000. */
const mostRecords = 250_000;

const stateOf = (stopped: Flag): AppState => (stopped === 1 ? 'stopped' : 'running');

const whole = <Item>(items: readonly Item[]): readonly Item[] => {
  if (items.length <= mostRecords) return items;
  throw invalidParam('from', `the window holds more than ${mostRecords} intervals; ask for a shorter one`);
};

/** The first two tell where the first ends; of the second only the beginning is known, which is all that is asked of it. */
const which: Readonly<Record<Parameters<ReadRuns>[1], RunsWanted>> = {
  all: { end: 'first', limit: mostRecords + 1 },
  first: { end: 'first', limit: 2 },
  last: { end: 'last', limit: 1 },
};

const msOf = (beat: number): number => Math.floor(beat / 2);

const runsOfStored = ({ starts, befores, last }: StoredRuns): HeartbeatRun[] =>
  whole(starts).map((start, index) => ({
    state: start % 2 === 1 ? 'stopped' : 'running',
    firstMs: msOf(start),
    lastMs: msOf(befores[index + 1] ?? last),
  }));

/** The intervals of an app that `uptimeOf` needs for a window: pushed ones, and those that its heartbeats form. */
export const appRecords = async (
  { reader, signal }: { readonly reader: ClickHouseReader; readonly signal: AbortSignal },
  app: AppOnDevice,
  window: Span,
  nowMs: number,
): Promise<IntervalRecord[]> => {
  const read: ReadRuns = async (stretch, part) => {
    const [stored] = await reader.rows<StoredRuns>(beatRunsQuery(app, stretch, which[part]), { signal });
    return stored ? runsOfStored(stored) : [];
  };
  const since1970 = { from: Math.max(0, window.from), to: Math.max(0, window.to) };
  const [runs, [stored]] = await Promise.all([
    runsAround(read, window, nowMs),
    reader.rows<StoredIntervals>(appIntervalsQuery(app, since1970, nowMs, mostRecords + 1), { signal }),
  ]);
  const pushed = whole(stored?.intervals ?? []).map(
    ([startedAtMs, endedAtMs, lastHeartbeatAtMs, stopped]): IntervalRecord => ({
      state: stateOf(stopped),
      startedAtMs,
      endedAtMs,
      lastHeartbeatAtMs,
    }),
  );
  return [...pushed, ...intervalsFromRuns(runs)];
};
