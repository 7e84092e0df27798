import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStore, lowestPosition } from '@popsvc/platform/event-store';
import type { CheckpointStore, LeaseKey } from '@popsvc/platform/postgres';
import { type GenerationPartition, partitionKeyOf } from '../generation-partitions.ts';
import { readLogIdentity, requireSameLog } from '../event-log.ts';
import { isFullyDerived } from '../pending-ranges.ts';
import { LeaseLost } from '../run-ended.ts';
import { buildGeneration, type BuildGeneration, type BuildProgress, type BuildTarget } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { type OnPartitionProgress, runTogether, partitionsOf, withoutTotal } from './replay-partitions.ts';
import { RetryableReplayError } from './errors.ts';

const advancePollMs = 100;
/** Each attempt starts a process, which takes almost 1 s of CPU time. */
const backgroundPollMs = 1_000;
const batchMs = 3_000;

interface AdvanceTarget extends GenerationPartition {
  readonly upTo: bigint;
  readonly build?: BuildGeneration | undefined;
  readonly untilDerived?: boolean;
  readonly threads?: BuildTarget['threads'];
}

/**
 * Throws `LogMismatch` if the generation's position is not valid in this log, `RetryableReplayError` if the generation stays ahead of the
 * target, and the errors of the build except `LeaseLost`.
 */
export const advanceGeneration = async (
  dependencies: ReplayDependencies,
  { upTo, build, untilDerived = false, threads, ...target }: AdvanceTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = partitionKeyOf(target);
  let aheadAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { position, begun, logId } = await dependencies.checkpoints.read(key);
    // Positions of different logs are not comparable.
    requireSameLog(key, { position, logId }, await readLogIdentity(dependencies.store));
    const isComplete = !untilDerived || (await isFullyDerived(dependencies.writer, target));
    if (position >= upTo && isComplete) return;
    if (begun > upTo) {
      // Another process writes a batch beyond the target, or the live generation was restored from a backup and is behind the new one.
      aheadAt ??= performance.now();
      if (performance.now() - aheadAt > batchMs)
        throw new RetryableReplayError(`${key.projection} generation ${key.generation} is ahead of the live one`);
      await sleep(advancePollMs, undefined, { signal });
      continue;
    }
    try {
      await (build ?? buildGeneration)(dependencies, { ...target, upTo, threads }, onProgress, signal);
      // If the projection does not read the event at `upTo`, the checkpoint is lower although the build is complete.
      return;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(build ? backgroundPollMs : advancePollMs, undefined, { signal });
    }
  }
};

/** Returns the end of the log for a generation of another log, because the new generation must then contain the whole log. */
export const readValidPosition = async (
  { store, checkpoints }: { readonly store: EventStore; readonly checkpoints: CheckpointStore },
  key: LeaseKey,
): Promise<bigint> => {
  const [{ position, logId }, identity, head] = await Promise.all([
    checkpoints.read(key),
    store.readLogId(),
    store.readHeadPosition(),
  ]);
  const isOfThisLog = (logId === '' || logId === identity) && position <= head;
  return isOfThisLog ? position : head;
};

const closeMs = 5_000;
const closeEvents = 2_000;

interface CatchUpOptions extends Pick<GenerationPartition, 'projection' | 'generation'> {
  readonly live: number;
  readonly onTarget: (target: bigint) => void;
  readonly onProgress: OnPartitionProgress;
}

export const catchUpWithLive = async (
  dependencies: ReplayDependencies,
  { projection, generation, live, onTarget, onProgress }: CatchUpOptions,
  signal: AbortSignal,
): Promise<void> => {
  let events = 0;
  const partitions = partitionsOf(dependencies, { projection, generation });
  for (;;) {
    events = 0;
    const began = performance.now();
    const targets = await Promise.all(
      partitions.map((target) => readValidPosition(dependencies, partitionKeyOf({ ...target, generation: live }))),
    );
    onTarget(lowestPosition(targets));
    await runTogether(
      partitions,
      (target, index, stop) => {
        const onRound = (progress: BuildProgress) => {
          events += progress.events;
          onProgress(target, withoutTotal(progress));
        };
        return advanceGeneration(dependencies, { ...target, upTo: targets[index]! }, onRound, stop);
      },
      signal,
    );
    if (performance.now() - began < closeMs || events < closeEvents) return;
  }
};

const settlePollMs = 250;
const defaultSettleTimeoutMs = 30_000;

type SettleDependencies = Pick<ReplayDependencies, 'checkpoints' | 'store' | 'settleTimeoutMs'>;

/**
 * Returns the checkpoint if the tables may contain rows of later batches; undefined if not, or if the checkpoint is not valid in this log.
 */
const aheadOf = async ({ checkpoints, store }: SettleDependencies, live: LeaseKey): Promise<bigint | undefined> => {
  const [{ position, begun, logId }, here] = await Promise.all([checkpoints.read(live), readLogIdentity(store)]);
  return begun > position && logId === here.logId && begun <= here.head ? position : undefined;
};

export interface SettledCheck {
  /** False if the generation made no progress while its tables were ahead of its checkpoint; `confirm` then checks nothing. */
  readonly isSettled: boolean;
  /** Throws `RetryableReplayError` if the tables are ahead of the checkpoint again, for example after a restart of ClickHouse. */
  confirm(): Promise<void>;
}

export const settled: SettledCheck = { isSettled: true, confirm: () => Promise.resolve() };

/** Returns false if the checkpoint does not move for `settleTimeoutMs`. */
const waitUntilUnitSettled = async (
  dependencies: SettleDependencies,
  live: LeaseKey,
  signal: AbortSignal,
): Promise<boolean> => {
  const { settleTimeoutMs = defaultSettleTimeoutMs } = dependencies;
  let movedAtMs = performance.now();
  let before = -1n;
  for (;;) {
    const at = await aheadOf(dependencies, live);
    if (at === undefined) return true;
    if (at !== before) movedAtMs = performance.now();
    before = at;
    if (performance.now() - movedAtMs > settleTimeoutMs) return false;
    await sleep(settlePollMs, undefined, { signal });
  }
};

/**
 * Tables can be ahead of a checkpoint, for example while a batch is written. A new generation built only up to that checkpoint could lack
 * rows that readers have seen.
 */
export const waitUntilSettled = async (
  dependencies: SettleDependencies,
  live: readonly GenerationPartition[],
  signal: AbortSignal,
): Promise<SettledCheck> => {
  const keys = live.map(partitionKeyOf);
  const areSettled = await Promise.all(keys.map((key) => waitUntilUnitSettled(dependencies, key, signal)));
  if (areSettled.includes(false)) return { ...settled, isSettled: false };
  return {
    isSettled: true,
    async confirm() {
      for (const key of keys)
        if ((await aheadOf(dependencies, key)) !== undefined)
          throw new RetryableReplayError('the tables of the live generation contain a batch after its checkpoint');
    },
  };
};
