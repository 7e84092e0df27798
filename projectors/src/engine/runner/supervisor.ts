import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerationRecord, readGenerations } from '@popsvc/platform/postgres';
import { createSignal, pauseAfter, type Signal } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import type { RunnerDependencies } from '../dependencies.ts';
import {
  listGenerationPartitions,
  type GenerationPartition,
  partitionKeyOf,
  type PartitionKey,
} from '../generation-partitions.ts';
import { runStateAfter, type RunState, type StatusRegistry } from '../projection-status.ts';
import type { Projection } from '../projection.ts';
import type { RowBudget } from '../row-budget.ts';
import { createPositionLimit, type PositionLimit } from './event-limit.ts';
import { runProjection } from './runner.ts';

const firstMs = 250;

interface SupervisedRun {
  readonly name: string;
  readonly about?: { readonly generation: number; readonly partition: number };
  readonly log: Log;
  readonly setRunState: (runState: RunState) => void;
  /** Default 30,000. */
  readonly longestPauseMs?: number;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Does not grow, so that a free lease is taken soon. */
const leasePollMs = 1_000;

export const superviseRuns = async (
  { name, about, log, setRunState, longestPauseMs: longestMs = 30_000, pause }: SupervisedRun,
  run: (onProgress: () => void) => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const wait = pause ?? ((ms: number) => sleep(ms, undefined, { signal }));
  let failures = 0;
  let wasWaiting = false;
  const onProgress = () => {
    failures = 0;
    wasWaiting = false;
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
      // While another process holds the lease, a run ends each second, so only the first such end is logged.
      if (!isWaiting || !wasWaiting)
        log[isWaiting ? 'info' : 'warn'](
          { err: error, projection: name, ...about },
          'projection run ended; it is started again',
        );
      wasWaiting = isWaiting;
      await wait(isWaiting ? leasePollMs : pauseAfter(failures, { firstMs, longestMs })).catch(() => undefined);
      // Waiting for a lease is no failure: the pause stays short, however long the wait is.
      failures = isWaiting ? 0 : failures + 1;
    }
  }
};

const updateEveryMs = 1_000;

export interface PartitionPreferences {
  isAlone(): boolean;
  isPreferred(target: PartitionKey): boolean;
  /** Whether the preferred process of this partition has requested it from this process. */
  shouldHandBack(target: PartitionKey): boolean;
}

export interface SupervisorDependencies extends Omit<
  RunnerDependencies,
  'rowBudget' | 'preference' | 'shouldHandBack'
> {
  /** Number of partitions of split projections; default 1. */
  readonly partitions?: number;
  /** Default: this process runs every partition whose lease it gets. */
  readonly membership?: PartitionPreferences;
  /** Limits the rows that live generations derive for each network in a UTC day; default: no limit. */
  readonly dailyRows?: RowBudget;
  readonly statusRegistry: StatusRegistry;
  readonly projections: readonly Projection[];
  readonly generationsChanged?: Signal;
}

interface Loop {
  readonly limit: PositionLimit;
  /**
   * Rows of events appended at this time (ms since 1970) or later count toward daily budgets: older events only fill a new generation.
   * Undefined if no rows count.
   */
  countedFromMs: number | undefined;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const keyOf = (projection: string, generation: number, partition: number) => `${projection} ${generation} ${partition}`;

/** Kept generations run too, because readers can switch back to one only while it is up to date. */
const shouldRun = ({ state, paused }: GenerationRecord) => (state === 'live' || state === 'kept') && !paused;

const maxFailures = 3;
const [leaveMs, maxLeaveMs] = [60_000, 3_600_000];

/**
 * A process may be unable to reach ClickHouse, for example. After `maxFailures`, it leaves the partition to others for a minute, then for
 * twice as long after each failure, at most an hour.
 */
const countFailures = () => {
  let count = 0;
  let leftUntil = -Infinity;
  return {
    add() {
      count += 1;
      if (count >= maxFailures)
        leftUntil = performance.now() + Math.min(maxLeaveMs, leaveMs * 2 ** (count - maxFailures));
    },
    clear() {
      count = 0;
      leftUntil = -Infinity;
    },
    isFailing: () => performance.now() < leftUntil,
  };
};

const startLoop = (dependencies: SupervisorDependencies, target: GenerationPartition): Loop => {
  const { statusRegistry, log, membership } = dependencies;
  const partitionKey = partitionKeyOf(target);
  const { name } = target.projection;
  const about = { generation: target.generation, partition: target.partition.index };
  const key = { name, ...about };
  const stop = new AbortController();
  const limit = createPositionLimit();
  const loop: Omit<Loop, 'done'> = { limit, stop, countedFromMs: undefined };
  const failures = countFailures();
  const rowBudget = (sinceMs: number) =>
    loop.countedFromMs !== undefined && sinceMs >= loop.countedFromMs ? dependencies.dailyRows : undefined;
  const run = (onProgress: () => void) => {
    const onBatch: RunnerDependencies['onBatch'] = (which, batch, _, pendingNetworks) => {
      onProgress();
      failures.clear();
      statusRegistry.recordBatch(key, batch);
      dependencies.onBatch?.(which, batch, target, pendingNetworks);
    };
    // The first batch may take long, so the projection is reported as running before it. After a failure, only a batch shows that the
    // projection runs.
    const onResumed: RunnerDependencies['onResumed'] = ({ position, asOfMs }) => {
      statusRegistry.recordBatch(key, { upTo: position, asOfMs });
      if (!hasFailed) setRunState(runStateAfter('progress'));
    };
    const { limitEvents } = limit;
    return runProjection(
      {
        ...dependencies,
        rowBudget,
        limitEvents,
        onResumed,
        onBatch,
        ...(membership && {
          preference: () => {
            if (membership.isAlone()) return 'none';
            return membership.isPreferred(partitionKey) && !failures.isFailing() ? 'preferred' : 'other';
          },
          shouldHandBack: () => membership.shouldHandBack(partitionKey),
        }),
      },
      target,
      stop.signal,
    );
  };
  let hasFailed = false;
  const setRunState = (runState: RunState) => {
    hasFailed = runState.error !== undefined;
    if (hasFailed) failures.add();
    statusRegistry.setRunState(key, runState);
  };
  return Object.assign(loop, { done: superviseRuns({ name, about, log, setRunState }, run, stop.signal) });
};

const noLimit = 2n ** 63n;

/** A kept generation must not overtake the live one, because readers can switch only while both are at the same position. */
const readLimit = async (
  { checkpoints }: SupervisorDependencies,
  { projection, state }: GenerationRecord,
  partition: number,
  known: readonly GenerationRecord[],
): Promise<bigint> => {
  const live = known.find((other) => other.projection === projection && other.state === 'live');
  if (state === 'live' || !live) return noLimit;
  return (await checkpoints.read({ projection, generation: live.generation, partition })).position;
};

/** Reads the list of generations every second. When the signal aborts, cancels running derivations, whose batches the next run repeats. */
export const superviseProjections = async (
  dependencies: SupervisorDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const {
    postgres,
    statusRegistry,
    projections,
    partitions = 1,
    log,
    generationsChanged = createSignal(signal),
  } = dependencies;
  const loops = new Map<string, Loop>();

  const end = async (key: string, { stop, done }: Loop) => {
    stop.abort();
    await done;
    loops.delete(key);
  };

  const updateLoops = async () => {
    const known = await readGenerations(postgres);
    const wanted = new Map<string, { readonly target: GenerationPartition; readonly record: GenerationRecord }>();
    for (const record of known.filter(shouldRun)) {
      const { generation } = record;
      const projection = projections.find(({ name }) => name === record.projection);
      // This release may not declare all tables and columns of a generation that a newer release built.
      if (!projection || record.version > projection.version) continue;
      for (const target of listGenerationPartitions({ projection, generation }, partitions))
        wanted.set(keyOf(projection.name, generation, target.partition.index), { target, record });
    }
    await Promise.all([...loops].flatMap(([key, loop]) => (wanted.has(key) ? [] : [end(key, loop)])));
    for (const { name, generation, partition = 0 } of statusRegistry.statuses)
      if (projections.some((projection) => projection.name === name) && !wanted.has(keyOf(name, generation, partition)))
        statusRegistry.remove({ name, generation, partition });
    for (const [key, { target, record }] of wanted) {
      const { name, streams } = target.projection;
      const { generation, state } = record;
      const partition = target.partition.index;
      // A newly live generation is registered as `waiting`, which keeps the process ready while its first run starts.
      statusRegistry.register({ name, streams, generation, partition, isNeeded: state === 'live' }, 'waiting');
      const loop = loops.get(key) ?? startLoop(dependencies, target);
      loops.set(key, loop);
      loop.countedFromMs = state === 'live' ? record.createdAt.getTime() : undefined;
      loop.limit.set(await readLimit(dependencies, record, partition, known));
    }
  };

  while (!signal.aborted) {
    // If the list cannot be read, the running loops stay as they are.
    await updateLoops().catch((err: unknown) =>
      log.warn({ err }, 'failed to read which projection generations to run; retrying'),
    );
    await generationsChanged.wait(updateEveryMs);
  }
  await Promise.all([...loops].map(([key, loop]) => end(key, loop)));
};
