import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@popsvc/platform/event-store';
import type { CheckpointStore, LeaseKey } from '@popsvc/platform/postgres';
import { readLogIdentity, requireSameLog } from '../event-log.ts';
import type { Projection } from '../projection.ts';
import { isFullyDerived } from '../pending-ranges.ts';
import { LeaseLost } from '../run-ended.ts';
import { buildGeneration, type BuildGeneration, type BuildProgress, type BuildTarget } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';

const advancePollMs = 100;
/**
 * Poll interval for builds in a background process, in ms. Each attempt starts a process, which takes almost a second of CPU
 * time.
 */
const backgroundPollMs = 1_000;
/** Time within which a writer should finish a batch that it announced, in ms. */
const batchMs = 3_000;

interface AdvanceTarget {
  readonly projection: Projection;
  readonly generation: number;
  /** Log position to reach. A generation that another process writes may already be beyond it. */
  readonly upTo: bigint;
  /** Builds the generation in another process, including its pending ranges; default: in this one. */
  readonly buildInBackground?: BuildGeneration | undefined;
  readonly threads?: BuildTarget['threads'];
}

/**
 * Builds a generation up to a position, or waits until its current writer has reached the position. Throws `LogMismatch`
 * when the generation was built from another log.
 */
export const advanceGeneration = async (
  dependencies: ReplayDependencies,
  { projection, generation, upTo, buildInBackground, threads }: AdvanceTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  let aheadAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { position, begun, logId } = await dependencies.checkpoints.read(key);
    // Checked before the comparison, because positions of different logs are not comparable.
    requireSameLog(key, { position, logId }, await readLogIdentity(dependencies.store));
    if (
      position >= upTo &&
      (!buildInBackground || (await isFullyDerived(dependencies.writer, { projection, generation })))
    )
      return;
    if (begun > upTo) {
      // Either another process is writing a batch that ends beyond the target position, or the live generation was
      // restored from a backup and is behind the new one.
      aheadAt ??= performance.now();
      if (performance.now() - aheadAt > batchMs)
        throw new RetryableReplayError(`${key.projection} generation ${generation} is ahead of the live one`);
      await sleep(advancePollMs, undefined, { signal });
      continue;
    }
    try {
      // The live generation may park events that cannot be folded; a new generation must be complete, so the build stops
      // instead.
      const build = buildInBackground ?? buildGeneration;
      const target = { projection, generation, upTo, threads };
      await build({ ...dependencies, poisonPolicy: 'stop' }, target, onProgress, signal);
      // The checkpoint can be lower than `upTo` although the build is complete. This happens if the event at `upTo` is one that the
      // projection does not read.
      return;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(buildInBackground ? backgroundPollMs : advancePollMs, undefined, { signal });
    }
  }
};

/**
 * Returns the position that a generation has reached in this log. If the generation was projected from another log, or from a
 * longer copy of this log, its own position is not valid in this log. In that case, returns the end of the log, because the new
 * generation must contain the whole log.
 */
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

/** A round of catching up is the last one if it took less than `closeMs` or had fewer than `closeEvents` events. */
const closeMs = 5_000;
const closeEvents = 2_000;

interface CatchUpOptions extends Pick<AdvanceTarget, 'projection' | 'generation'> {
  readonly live: number;
  readonly onTarget: (target: bigint) => void;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Repeatedly advances a generation to the current position of the live one, until a round is short. */
export const catchUpWithLive = async (
  dependencies: ReplayDependencies,
  { projection, generation, live, onTarget, onProgress }: CatchUpOptions,
  signal: AbortSignal,
): Promise<void> => {
  let events = 0;
  const onRound = (progress: BuildProgress) => {
    events += progress.events;
    onProgress(progress);
  };
  for (;;) {
    events = 0;
    const began = performance.now();
    const upTo = await readValidPosition(dependencies, { projection: projection.name, generation: live });
    onTarget(upTo);
    await advanceGeneration(dependencies, { projection, generation, upTo }, onRound, signal);
    if (performance.now() - began < closeMs || events < closeEvents) return;
  }
};

const settlePollMs = 250;
/** How long a live generation may make no progress before it is considered paused or broken, in ms. */
const defaultSettleTimeoutMs = 30_000;

type SettleDependencies = Pick<ReplayDependencies, 'checkpoints' | 'store' | 'settleTimeoutMs'>;

/** Returns the generation's checkpoint if its tables may already contain rows of later batches; otherwise undefined. */
const aheadOf = async ({ checkpoints, store }: SettleDependencies, live: LeaseKey): Promise<bigint | undefined> => {
  const [{ position, begun, logId }, here] = await Promise.all([checkpoints.read(live), readLogIdentity(store)]);
  return begun > position && logId === here.logId && begun <= here.head ? position : undefined;
};

/** Throws `RetryableReplayError` if the tables of a generation are ahead of its checkpoint. */
export const requireSettled = async (dependencies: SettleDependencies, live: LeaseKey): Promise<void> => {
  if ((await aheadOf(dependencies, live)) !== undefined)
    throw new RetryableReplayError('the live generation is re-folding events that its tables already contain');
};

export interface SettledCheck {
  /**
   * Throws `RetryableReplayError` if the tables are ahead of the checkpoint again, for example after a restart of ClickHouse.
   */
  confirm(): Promise<void>;
}

/** The check for a generation that is never ahead of its checkpoint. */
export const settled: SettledCheck = { confirm: () => Promise.resolve() };

/**
 * Waits until the tables of the live generation match its checkpoint. The tables are ahead of the checkpoint while the runner
 * folds events again. After a ClickHouse restart, the runner folds the events of the last minute again. After the runner itself was
 * killed, it folds the events of the last batch again. If a new generation were built only up to such a checkpoint, it would lack
 * rows that readers have already seen. The function stops waiting if the live generation makes no progress, because it is then
 * paused or broken.
 */
export const waitUntilSettled = async (
  dependencies: SettleDependencies,
  live: LeaseKey,
  signal: AbortSignal,
): Promise<SettledCheck> => {
  const { settleTimeoutMs = defaultSettleTimeoutMs } = dependencies;
  let movedAtMs = performance.now();
  let before = -1n;
  for (;;) {
    const at = await aheadOf(dependencies, live);
    if (at === undefined) break;
    if (at !== before) movedAtMs = performance.now();
    before = at;
    if (performance.now() - movedAtMs > settleTimeoutMs) return settled;
    await sleep(settlePollMs, undefined, { signal });
  }
  return { confirm: () => requireSettled(dependencies, live) };
};
