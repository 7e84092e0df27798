import { type BatchLimits, liveBatchLimits } from '../batch.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import type { GenerationPartition } from '../generation-partitions.ts';
import { endEventsAt } from '../runner/event-limit.ts';
import { runProjection } from '../runner/runner.ts';

export interface BuildTarget extends GenerationPartition {
  readonly upTo: bigint;
  readonly threads?: number | undefined;
}

/** `events`: number of items folded since the last report, or of facts whose rows were derived. */
export interface BuildProgress {
  readonly events: number;
  readonly position?: bigint;
  /** Estimated number of the projection's items from the start of the log to the end of the build. */
  readonly total?: number;
}

/**
 * The maximum number of ClickHouse threads for a statement of a build. A build from the log needs another core to read the log; a build from
 * copied facts only waits for ClickHouse.
 */
export const buildThreads = { log: 1, facts: 2 } as const;

/** Builds a partition up to and including `upTo`. A repeated call resumes. */
export type BuildGeneration = (
  dependencies: RunnerDependencies,
  build: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
) => Promise<void>;

/** Short, because the replay waits for the last batch. */
const lastBatchAgeMs = 50;

/** Readers do not see the generation yet, so its batches may join more pairs of facts and wait longer than live ones. */
const buildLimits = ({ limits }: RunnerDependencies): BatchLimits => ({
  ...liveBatchLimits,
  unitPairs: 2_000_000,
  batchPairs: 2_000_000,
  catchUpAgeMs: 2_000,
  ...limits,
  ageMs: lastBatchAgeMs,
});

export const followLimits = ({ limits }: RunnerDependencies): BatchLimits => ({
  ...liveBatchLimits,
  ...limits,
  ageMs: lastBatchAgeMs,
  catchUpAgeMs: lastBatchAgeMs,
});

/** Also derives the ranges that batches put off. Throws the errors of `runProjection`, and the signal's reason if the signal aborts. */
export const buildGeneration: BuildGeneration = async (dependencies, { upTo, ...target }, onProgress, signal) => {
  const end = new AbortController();
  let written = -1n;
  let resumedAt = 0n;
  let items = 0;
  let last: bigint | undefined;
  let pendingNetworks = 0;
  const endIfReached = () => {
    if (last !== undefined && written >= last && pendingNetworks === 0) end.abort();
  };
  const limitEvents = endEventsAt(upTo, (met) => {
    last = met ?? written;
    endIfReached();
  });
  const onResumed: RunnerDependencies['onResumed'] = ({ position }) => {
    resumedAt = position;
  };
  const onBatch: RunnerDependencies['onBatch'] = (_, batch, __, networks) => {
    written = batch.upTo;
    pendingNetworks = networks;
    items += batch.items;
    // The estimate assumes that the projection's events are equally frequent in the whole log.
    const total = Math.round((items * Number(upTo)) / Number(batch.upTo - resumedAt));
    onProgress({ events: batch.items, position: batch.upTo, total });
    endIfReached();
  };
  const onPending: RunnerDependencies['onPending'] = (_, networks) => {
    pendingNetworks = networks;
    endIfReached();
  };
  const onUnit: RunnerDependencies['onUnit'] = (which, networks, facts) => {
    onProgress({ events: facts, ...(written >= 0n && { position: written }) });
    onPending(which, networks);
  };
  const running: RunnerDependencies = {
    ...dependencies,
    limits: buildLimits(dependencies),
    poisonPolicy: 'stop',
    limitEvents,
    onResumed,
    onBatch,
    onPending,
    onUnit,
  };
  await runProjection(running, target, AbortSignal.any([signal, end.signal]));
  signal.throwIfAborted();
};
