import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { createSignal, type Signal } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { RunnerDependencies } from '../dependencies.ts';
import { runStateAfter, type RunState, type StatusRegistry } from '../projection-status.ts';
import type { Projection } from '../projection.ts';
import type { RowBudget } from '../row-budget.ts';
import { createPositionLimit, type PositionLimit } from './event-limit.ts';
import { runProjection } from './runner.ts';

/**
 * Returns the pause before the next attempt. The pause doubles after each failure, up to a maximum. Random jitter spreads out the
 * retries so they do not all reach a recovering store at once.
 */
const pauseMs = (failures: number, longestPauseMs: number): number =>
  Math.min(longestPauseMs, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

interface SupervisedRun {
  readonly name: string;
  readonly log: Log;
  readonly setRunState: (runState: RunState) => void;
  /** Maximum pause between two runs in ms; default 30,000. */
  readonly longestPauseMs?: number;
}

/** Pause between attempts to take a lease, in ms. It does not grow, so a lease is taken soon after it becomes free. */
const leasePollMs = 1_000;

/**
 * Repeats a run until the signal aborts, with increasing pauses after failures. The run calls `onProgress` when it makes
 * progress, which resets the pause.
 */
export const superviseRuns = async (
  { name, log, setRunState, longestPauseMs = 30_000 }: SupervisedRun,
  run: (onProgress: () => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  const onProgress = () => {
    failures = 0;
    setRunState(runStateAfter('progress'));
  };
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      await run(onProgress);
    } catch (error) {
      if (isOver()) return;
      const runState = runStateAfter({ error });
      setRunState(runState);
      const isWaiting = runState.state === 'waiting';
      log[isWaiting ? 'info' : 'warn']({ err: error, projection: name }, 'projection run ended; it is started again');
      await sleep(isWaiting ? leasePollMs : pauseMs(failures, longestPauseMs), undefined, { signal }).catch(
        () => undefined,
      );
      // Waiting for a lease is not a failure: the pause stays short, however long the wait lasts.
      failures = isWaiting ? 0 : failures + 1;
    }
  }
};

const updateEveryMs = 1_000;

export interface SupervisorDependencies extends Omit<RunnerDependencies, 'rowBudget'> {
  /** Limits the rows that each network may derive a day in live generations; default: no limit. */
  readonly dailyRows?: RowBudget;
  readonly statusRegistry: StatusRegistry;
  readonly projections: readonly Projection[];
  /** Signalled after the set of generations has changed. The supervisor then starts or stops runs at once. */
  readonly generationsChanged?: Signal;
}

interface Loop {
  readonly limit: PositionLimit;
  /** Whether the rows of this generation count towards the daily budgets: only those of the live one do. */
  isLive: boolean;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const keyOf = ({ projection, generation }: Pick<GenerationRecord, 'projection' | 'generation'>) =>
  `${projection} ${generation}`;

/**
 * Returns true for live and kept generations that are not paused. Kept generations also run, because readers can switch back to
 * them only while they are up to date.
 */
const shouldRun = ({ state, paused }: GenerationRecord) => (state === 'live' || state === 'kept') && !paused;

const startLoop = (dependencies: SupervisorDependencies, projection: Projection, generation: number): Loop => {
  const { statusRegistry, log } = dependencies;
  const { name } = projection;
  const key = { name, generation };
  const stop = new AbortController();
  const limit = createPositionLimit();
  const loop = { limit, stop, isLive: false };
  const rowBudget = () => (loop.isLive ? dependencies.dailyRows : undefined);
  const run = (onProgress: () => void) => {
    const onBatch: RunnerDependencies['onBatch'] = (which, batch, _, pendingNetworks) => {
      onProgress();
      statusRegistry.recordBatch(key, batch);
      dependencies.onBatch?.(which, batch, generation, pendingNetworks);
    };
    // The projection runs from here on, however long its first batch takes. After a failure it runs again once it has written a
    // batch, because the same failure may follow.
    const onResumed: RunnerDependencies['onResumed'] = ({ position, asOfMs }) => {
      statusRegistry.recordBatch(key, { upTo: position, asOfMs });
      if (!hasFailed) setRunState(runStateAfter('progress'));
    };
    const { limitEvents } = limit;
    return runProjection(
      { ...dependencies, rowBudget, limitEvents, onResumed, onBatch },
      projection,
      generation,
      stop.signal,
    );
  };
  let hasFailed = false;
  const setRunState = (runState: RunState) => {
    hasFailed = runState.error !== undefined;
    statusRegistry.setRunState(key, runState);
  };
  return Object.assign(loop, { done: superviseRuns({ name, log, setRunState }, run, stop.signal) });
};

/** A limit above every position of the log. */
const noLimit = 2n ** 63n;

/**
 * Returns the last log position that a generation may process. The live generation has no limit. A kept generation must not
 * overtake the live one, even when the live one is stuck, because readers can switch only while both are at the same position.
 */
const readLimit = async (
  { checkpoints }: SupervisorDependencies,
  { projection, state }: GenerationRecord,
  known: readonly GenerationRecord[],
): Promise<bigint> => {
  const live = known.find((other) => other.projection === projection && other.state === 'live');
  return state === 'live' || !live ? noLimit : (await checkpoints.read(live)).position;
};

/**
 * Runs every live or kept generation whose lease this process can acquire. Reads the list of generations every second, because
 * operators can pause and resume generations and replays add new ones. When the signal aborts, each run finishes its batch and
 * ends.
 */
export const superviseProjections = async (
  dependencies: SupervisorDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { postgres, statusRegistry, projections, log, generationsChanged = createSignal(signal) } = dependencies;
  const loops = new Map<string, Loop>();

  const end = async (key: string, { stop, done }: Loop) => {
    stop.abort();
    await done;
    loops.delete(key);
  };

  const updateLoops = async () => {
    const known = await readGenerations(postgres);
    const wanted = new Map(known.filter(shouldRun).map((record) => [keyOf(record), record]));
    await Promise.all([...loops].flatMap(([key, loop]) => (wanted.has(key) ? [] : [end(key, loop)])));
    for (const { name, generation } of statusRegistry.statuses)
      if (projections.some((projection) => projection.name === name) && !wanted.has(`${name} ${generation}`))
        statusRegistry.remove({ name, generation });
    for (const [key, record] of wanted) {
      const projection = projections.find(({ name }) => name === record.projection);
      // A generation built by a newer software version has tables and rows that this version does not know.
      if (!projection || record.version > projection.version) continue;
      const { name, streams } = projection;
      const { generation, state } = record;
      // Generations that were live when this process started are already registered. Any other generation is registered as
      // `waiting`. This keeps the process ready while that generation's first run starts.
      statusRegistry.register({ name, streams, generation, isNeeded: state === 'live' }, 'waiting');
      const loop = loops.get(key) ?? startLoop(dependencies, projection, generation);
      loops.set(key, loop);
      loop.isLive = state === 'live';
      loop.limit.set(await readLimit(dependencies, record, known));
    }
  };

  while (!signal.aborted) {
    // While PostgreSQL is unavailable, running generations continue.
    await updateLoops().catch((err: unknown) =>
      log.warn({ err }, 'failed to read which projection generations to run; retrying'),
    );
    await generationsChanged.wait(updateEveryMs);
  }
  await Promise.all([...loops].map(([key, loop]) => end(key, loop)));
};
