import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { createSignal, type Signal } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { RunnerDependencies } from '../dependencies.ts';
import { runStateAfter, type RunState, type StatusRegistry } from '../projection-status.ts';
import type { Projection } from '../projection.ts';
import { createPositionLimit, type PositionLimit } from './event-limit.ts';
import { runProjection } from './runner.ts';

/**
 * Doubles the pause with each failure, with jitter, so that a recovering store does not receive all retries at once.
 */
const pauseMs = (failures: number, longestPauseMs: number): number =>
  Math.min(longestPauseMs, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

interface SupervisedRun {
  readonly name: string;
  readonly log: Log;
  readonly setRunState: (runState: RunState) => void;
  /** Maximum pause between two runs; default 30 s. */
  readonly longestPauseMs?: number;
}

/** A run that waits for a lease tries again at a constant interval, so that it takes a free lease at once. */
const leasePollMs = 1_000;

/**
 * Executes a run again and again until the signal aborts, with pauses after failures. The run reports progress, which
 * resets the pauses.
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
      // A process that waited for a lease for hours takes it at once when it becomes free, also after an earlier error.
      failures = isWaiting ? 0 : failures + 1;
    }
  }
};

const everyMs = 1_000;

export interface SupervisorDependencies extends RunnerDependencies {
  readonly statusRegistry: StatusRegistry;
  readonly projections: readonly Projection[];
  /** Notified when the set of generations changed. */
  readonly generationsChanged?: Signal;
}

interface Loop {
  readonly limit: PositionLimit;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const keyOf = ({ projection, generation }: Pick<GenerationRecord, 'projection' | 'generation'>) =>
  `${projection} ${generation}`;

/**
 * The live generation and those kept for a rollback are run: a kept generation that falls behind could not be switched
 * back to.
 */
const shouldRun = ({ state, paused }: GenerationRecord) => (state === 'live' || state === 'kept') && !paused;

const startLoop = (parts: SupervisorDependencies, projection: Projection, generation: number): Loop => {
  const { statusRegistry, log } = parts;
  const { name } = projection;
  const key = { name, generation };
  const stop = new AbortController();
  const limit = createPositionLimit();
  const run = (onProgress: () => void) => {
    const onBatch: RunnerDependencies['onBatch'] = (which, batch) => {
      onProgress();
      statusRegistry.recordBatch(key, batch);
      parts.onBatch?.(which, batch, generation);
    };
    const { limitEvents } = limit;
    return runProjection({ ...parts, limitEvents, onBatch }, projection, generation, stop.signal);
  };
  const setRunState = (runState: RunState) => statusRegistry.setRunState(key, runState);
  return { limit, stop, done: superviseRuns({ name, log, setRunState }, run, stop.signal) };
};

/** Higher than any position. */
const everything = 2n ** 63n;

/**
 * A live generation has no limit. A kept one stays behind the live one, also while that is stuck: readers switch while
 * both are at one position, and a kept generation that is ahead could not be switched to.
 */
const readLimit = async (
  { checkpoints }: SupervisorDependencies,
  { projection, state }: GenerationRecord,
  known: readonly GenerationRecord[],
): Promise<bigint> => {
  const live = known.find((other) => other.projection === projection && other.state === 'live');
  return state === 'live' || !live ? everything : (await checkpoints.read(live)).position;
};

/**
 * Runs every generation that should run, by this process or the lease holder. Reads the set of generations each second,
 * because operators pause and resume and replays add new ones. Ends with the signal, each run at the end of a batch.
 */
export const superviseProjections = async (parts: SupervisorDependencies, signal: AbortSignal): Promise<void> => {
  const { postgres, statusRegistry, projections, log, generationsChanged = createSignal(signal) } = parts;
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
      // This build must not write what a newer build runs.
      if (!projection || record.version > projection.version) continue;
      const { name, streams } = projection;
      const { generation, state } = record;
      // Generations that appear after the start do not affect readiness.
      statusRegistry.register({ name, streams, generation, isNeeded: state === 'live' }, 'waiting');
      const loop = loops.get(key) ?? startLoop(parts, projection, generation);
      loops.set(key, loop);
      loop.limit.set(await readLimit(parts, record, known));
    }
  };

  while (!signal.aborted) {
    // While PostgreSQL is away, running generations continue.
    await updateLoops().catch((err: unknown) => log.warn({ err }, 'failed to read the generations to run'));
    await generationsChanged.wait(everyMs);
  }
  await Promise.all([...loops].map(([key, loop]) => end(key, loop)));
};
