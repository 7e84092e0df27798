import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore } from '@popsvc/platform/event-store';
import type { CheckpointStore, LeaseKey } from '@popsvc/platform/postgres';
import { readLogIdentity, requireSameLog } from '../event-log.ts';
import type { BuildProgress } from '../parallel-build/build.ts';
import type { Projection } from '../projection.ts';
import { LeaseLost } from '../run-ended.ts';
import { buildGeneration } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';

const advancePollMs = 100;
/** Within that a batch that was begun is done. */
const batchMs = 3_000;

interface AdvanceTarget {
  readonly projection: Projection;
  readonly generation: number;
  /** At least there it is to stand; one that nobody else writes then stands exactly there. */
  readonly upTo: bigint;
}

/** Builds a generation up to a position, or waits until who else writes it is there. Throws AnotherLog where it was made of one. */
export const advanceGeneration = async (
  parts: ReplayDependencies,
  { projection, generation, upTo }: AdvanceTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  let aheadAt: number | undefined;
  for (;;) {
    signal.throwIfAborted();
    const { position, begun, logId } = await parts.checkpoints.read(key);
    // Else what was made of another log might pass for one that has come far enough.
    requireSameLog(key, { position, logId }, await readLogIdentity(parts.store));
    if (position >= upTo) return;
    if (begun > upTo) {
      // Who keeps it up is in the middle of a batch that goes further; or the live one was put back to an older copy, and is not there again.
      aheadAt ??= performance.now();
      if (performance.now() - aheadAt > batchMs)
        throw new RetryableReplayError(`${key.projection} generation ${generation} is ahead of the live one`);
      await sleep(advancePollMs, undefined, { signal });
      continue;
    }
    try {
      // What is live may set an event aside and go on; what is built anew has to be right.
      await buildGeneration({ ...parts, poisonPolicy: 'stop' }, { projection, generation, upTo }, onProgress, signal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(advancePollMs, undefined, { signal });
    }
  }
};

/**
 * Where a generation stands in this log. One that was projected from another log, or from more of it than there is, stands
 * nowhere: then it is the end of the log, and what is built beside it is the cure.
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

/** What is left after a round that took less time, or was of fewer events, is not worth another round. */
const closeMs = 5_000;
const closeEvents = 2_000;

interface CatchUpOptions extends Omit<AdvanceTarget, 'upTo'> {
  readonly live: number;
  readonly onTarget: (target: bigint) => void;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Brings a generation to where the live one stands, until the rest is a matter of seconds. */
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
/** One that does not move for so long is not going to get there. */
const standardPatienceMs = 30_000;

type Parts = Pick<ReplayDependencies, 'checkpoints' | 'store' | 'settleTimeoutMs'>;

/** Where a generation stands while its tables hold more than that; undefined where they do not. */
const aheadOf = async ({ checkpoints, store }: Parts, live: LeaseKey): Promise<bigint | undefined> => {
  const [{ position, begun, logId }, here] = await Promise.all([checkpoints.read(live), readLogIdentity(store)]);
  return begun > position && logId === here.logId && begun <= here.head ? position : undefined;
};

export interface SettledCheck {
  /** Throws NotNow where the tables hold more than the generation stands for since. */
  confirm(): Promise<void>;
}

/**
 * Waits until what is live holds no more than it stands for. After ClickHouse was restarted it goes over the last minute of the log
 * again, and after a kill over a batch: meanwhile nothing that is built up to where it stands is what readers have seen. One that
 * stands still, paused or broken, is taken as it is.
 */
export const waitUntilSettled = async (parts: Parts, live: LeaseKey, signal: AbortSignal): Promise<SettledCheck> => {
  const { settleTimeoutMs = standardPatienceMs } = parts;
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
        throw new RetryableReplayError('the live generation goes again over what it has written before');
    },
  };
};
