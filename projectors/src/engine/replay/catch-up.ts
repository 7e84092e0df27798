import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@popsvc/platform/event-store';
import type { CheckpointStore, LeaseKey } from '@popsvc/platform/postgres';
import { readLogIdentity, requireSameLog } from '../event-log.ts';
import type { Projection } from '../projection.ts';
import { LeaseLost } from '../run-ended.ts';
import { buildGeneration, type BuildGeneration, type BuildProgress } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';

const advancePollMs = 100;
/** Starting a background process takes most of a second of CPU time, so it is started less often. */
const backgroundPollMs = 1_000;
/** A batch that was announced is finished within this time. */
const batchMs = 3_000;

interface AdvanceTarget {
  readonly projection: Projection;
  readonly generation: number;
  /** The minimum position; a generation without another writer ends exactly there. */
  readonly upTo: bigint;
  /** Builds in another process; default: in this one. */
  readonly buildInBackground?: BuildGeneration | undefined;
}

/**
 * Builds a generation up to a position, or waits until its writer is there. Throws `LogMismatch` when it was built from
 * another log.
 */
export const advanceGeneration = async (
  parts: ReplayDependencies,
  { projection, generation, upTo, buildInBackground }: AdvanceTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  let aheadAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { position, begun, logId } = await parts.checkpoints.read(key);
    // A position of another log must not count as far enough.
    requireSameLog(key, { position, logId }, await readLogIdentity(parts.store));
    if (position >= upTo) return;
    if (begun > upTo) {
      // The current writer is mid-batch beyond the target position, or the live generation was restored from a backup
      // and is behind its old position.
      aheadAt ??= performance.now();
      if (performance.now() - aheadAt > batchMs)
        throw new RetryableReplayError(`${key.projection} generation ${generation} is ahead of the live one`);
      await sleep(advancePollMs, undefined, { signal });
      continue;
    }
    try {
      // The live generation may park events; a new one must be complete.
      const build = buildInBackground ?? buildGeneration;
      await build({ ...parts, poisonPolicy: 'stop' }, { projection, generation, upTo }, onProgress, signal);
      // The checkpoint may be lower: the projection need not read the event at this position.
      return;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(buildInBackground ? backgroundPollMs : advancePollMs, undefined, { signal });
    }
  }
};

/**
 * Returns the position of a generation in this log. For one that was projected from another log or from a longer copy
 * it returns the end of the log: the new generation replaces it.
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

/** After a round that was faster or had fewer events, the rest is not worth another round. */
const closeMs = 5_000;
const closeEvents = 2_000;

interface CatchUpOptions extends Pick<AdvanceTarget, 'projection' | 'generation'> {
  readonly live: number;
  readonly onTarget: (target: bigint) => void;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Advances a generation to the position of the live one, until the rest takes seconds. */
export const catchUpWithLive = async (
  parts: ReplayDependencies,
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
    const upTo = await readValidPosition(parts, { projection: projection.name, generation: live });
    onTarget(upTo);
    await advanceGeneration(parts, { projection, generation, upTo }, onRound, signal);
    if (performance.now() - began < closeMs || events < closeEvents) return;
  }
};

const settlePollMs = 250;
/** A live generation that does not move for this long is not going to. */
const defaultSettleTimeoutMs = 30_000;

type Parts = Pick<ReplayDependencies, 'checkpoints' | 'store' | 'settleTimeoutMs'>;

/** Returns the checkpoint of a generation whose tables are ahead of it; undefined when they are not. */
const aheadOf = async ({ checkpoints, store }: Parts, live: LeaseKey): Promise<bigint | undefined> => {
  const [{ position, begun, logId }, here] = await Promise.all([checkpoints.read(live), readLogIdentity(store)]);
  return begun > position && logId === here.logId && begun <= here.head ? position : undefined;
};

export interface SettledCheck {
  /** Throws `RetryableReplayError` when the tables are ahead of the checkpoint again. */
  confirm(): Promise<void>;
}

/**
 * Waits until the tables of the live generation match its checkpoint. After a ClickHouse restart the runner folds the
 * last minute again, after a kill a batch. Until that is done, a generation built up to the checkpoint would lack rows
 * that readers have already seen. A live generation that does not move, because it is paused or broken, is accepted as
 * it is.
 */
export const waitUntilSettled = async (parts: Parts, live: LeaseKey, signal: AbortSignal): Promise<SettledCheck> => {
  const { settleTimeoutMs = defaultSettleTimeoutMs } = parts;
  let [moved, before] = [performance.now(), -1n];
  for (;;) {
    const at = await aheadOf(parts, live);
    if (at === undefined) break;
    if (at !== before) [moved, before] = [performance.now(), at];
    if (performance.now() - moved > settleTimeoutMs) return { confirm: () => Promise.resolve() };
    await sleep(settlePollMs, undefined, { signal });
  }
  return {
    async confirm() {
      if ((await aheadOf(parts, live)) !== undefined)
        throw new RetryableReplayError('the live generation is folding events again that its tables already contain');
    },
  };
};
