import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { createSignal, type Signal } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { RunnerDependencies } from '../dependencies.ts';
import type { ProjectionStatus, StatusRegistry, RunState } from '../projection-status.ts';
import type { Projection } from '../projection.ts';
import { LeaseLost } from '../run-ended.ts';
import { createLimitedLog, type LimitedLog } from './limited-log.ts';
import { runProjection } from './runner.ts';

/** Pauses double, with jitter, so that a store which comes back is not met by everybody at once. */
const pauseMs = (failures: number, longestPauseMs: number): number =>
  Math.min(longestPauseMs, 250 * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

interface SupervisedRun {
  readonly name: string;
  readonly log: Log;
  readonly state: RunState;
  /** Between two tries. */
  readonly longestPauseMs?: number;
}

/** Runs a projection for as long as the signal allows: an incarnation that fails is followed by another. It tells of progress. */
export const superviseRuns = async (
  { name, log, state, longestPauseMs = 30_000 }: SupervisedRun,
  incarnation: (onProgress: () => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  const onProgress = () => {
    failures = 0;
    state.state = 'running';
    state.error = undefined;
  };
  const isOver = () => signal.aborted;
  while (!isOver()) {
    try {
      await incarnation(onProgress);
    } catch (error) {
      if (isOver()) return;
      const isWaiting = error instanceof LeaseLost;
      state.state = isWaiting ? 'waiting' : 'failing';
      state.error = error instanceof Error ? error.message : String(error);
      log[isWaiting ? 'info' : 'warn']({ err: error, projection: name }, 'a projection stopped; it starts again');
      await sleep(isWaiting ? 1_000 : pauseMs(failures, longestPauseMs), undefined, { signal }).catch(() => undefined);
      // Who has waited for hours is to be there at once when it is its turn, also after an error on the way.
      failures = isWaiting ? 0 : failures + 1;
    }
  }
};

const everyMs = 1_000;

export interface SupervisorDependencies extends RunnerDependencies {
  readonly board: StatusRegistry;
  readonly projections: readonly Projection[];
  /** Rung when there is reason to look at once. */
  readonly bell?: Signal;
}

interface Loop {
  readonly paced: LimitedLog;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const keyOf = ({ projection, generation }: Pick<GenerationRecord, 'projection' | 'generation'>) =>
  `${projection} ${generation}`;

/** The live generation, and those that readers may be sent back to: what is not kept up could not be gone back to. */
const isRun = ({ state, paused }: GenerationRecord) => (state === 'live' || state === 'kept') && !paused;

const work = (parts: SupervisorDependencies, projection: Projection, state: ProjectionStatus): Loop => {
  const { board, log } = parts;
  const { name, generation } = state;
  const stop = new AbortController();
  const paced = createLimitedLog(parts.store, projection.reads);
  const incarnation = (onProgress: () => void) => {
    const onBatch: RunnerDependencies['onBatch'] = (which, batch) => {
      onProgress();
      board.recordBatch(state, batch);
      parts.onBatch?.(which, batch, generation);
    };
    return runProjection({ ...parts, store: paced.store, onBatch }, projection, generation, stop.signal);
  };
  return { paced, stop, done: superviseRuns({ name, log, state }, incarnation, stop.signal) };
};

/** Further than the log will ever be. */
const everything = 2n ** 63n;

/**
 * What is live goes on as far as the log does. What is kept stays behind it, even when it is stuck: readers change over while both
 * stand at one position, and who was ahead could not be gone back to.
 */
const pace = async (
  { checkpoints }: SupervisorDependencies,
  { projection, state }: GenerationRecord,
  known: readonly GenerationRecord[],
): Promise<bigint> => {
  const live = known.find((other) => other.projection === projection && other.state === 'live');
  return state === 'live' || !live ? everything : (await checkpoints.read(live)).position;
};

/**
 * Has every generation that is to be run worked on, by this process or whoever holds its lease, and looks each second which
 * those are: operators pause and resume, and replays bring new ones. Ends with the signal, each at the end of a batch.
 */
export const superviseProjections = async (parts: SupervisorDependencies, signal: AbortSignal): Promise<void> => {
  const { postgres, board, projections, log, bell = createSignal(signal) } = parts;
  const loops = new Map<string, Loop>();

  const end = async (key: string, { stop, done }: Loop) => {
    stop.abort();
    await done;
    loops.delete(key);
  };

  const look = async () => {
    const known = await readGenerations(postgres);
    const wanted = new Map(known.filter(isRun).map((record) => [keyOf(record), record]));
    await Promise.all([...loops].flatMap(([key, loop]) => (wanted.has(key) ? [] : [end(key, loop)])));
    for (const { name, generation } of board.statuses)
      if (projections.some((projection) => projection.name === name) && !wanted.has(`${name} ${generation}`))
        board.remove({ name, generation });
    for (const [key, record] of wanted) {
      const projection = projections.find(({ name }) => name === record.projection);
      // What a newer process builds and runs is not for this one to write.
      if (!projection || record.version > projection.version) continue;
      const { name, reads } = projection;
      const { generation, state } = record;
      // What is begun later than the service, because it was resumed or built meanwhile, is no reason for it not to be ready.
      const standing = board.register({ name, streams: reads, generation, isNeeded: state === 'live' }, 'waiting');
      const loop = loops.get(key) ?? work(parts, projection, standing);
      loops.set(key, loop);
      loop.paced.setLimit(await pace(parts, record, known));
    }
  };

  while (!signal.aborted) {
    // PostgreSQL away: what runs goes on as far as it can.
    await look().catch((err: unknown) => log.warn({ err }, 'which generations are to be run cannot be read'));
    await bell.wait(everyMs);
  }
  await Promise.all([...loops].map(([key, loop]) => end(key, loop)));
};
