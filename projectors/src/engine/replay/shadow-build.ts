import type { LeaseKey, ReplayRecord, WriterStopProof } from '@popsvc/platform/postgres';
import type { RunnerDependencies } from '../dependencies.ts';
import { type GenerationPartition, partitionKeyOf } from '../generation-partitions.ts';
import { readResumePoint } from '../checkpoint.ts';
import { readLogIdentity } from '../event-log.ts';
import type { Projection } from '../projection.ts';
import { createCondition, createPositionLimit } from '../runner/event-limit.ts';
import { runProjection } from '../runner/runner.ts';
import { advanceGeneration } from './catch-up.ts';
import { type BuildProgress, followLimits } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { type OnPartitionProgress, runTogether, partitionsOf } from './replay-partitions.ts';
import { RetryableReplayError } from './errors.ts';
import type { PausedGeneration } from './pause.ts';

interface ShadowFollower {
  raiseLimit(to: bigint): void;
  ready(until: AbortSignal): Promise<void>;
  /** The log must contain an event of the projection at or after `to`. Returns false if the run ended before it reached `to`. */
  reach(to: bigint, until: AbortSignal): Promise<boolean>;
  /** Resolves when the run has ended. The derivation of its open batch is cancelled. */
  end(): Promise<void>;
}

/** Call it before the live generation is paused, because the start is slow: the run restores its state. */
const startShadowFollower = async (
  dependencies: RunnerDependencies,
  building: GenerationPartition,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<ShadowFollower> => {
  const { projection, generation } = building;
  const end = new AbortController();
  let isOver = false;
  const state = createCondition();
  const limit = createPositionLimit(() => state.notify());
  const key = partitionKeyOf(building);
  // After a restart of ClickHouse, this position can be below the checkpoint, because rows of the latest events may be lost.
  const resumed = await readResumePoint({ ...dependencies, here: await readLogIdentity(dependencies.store) }, key);
  let written = resumed.position;
  const onBatch: RunnerDependencies['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.items, position: batch.upTo });
    state.notify();
  };
  const running: RunnerDependencies = {
    ...dependencies,
    limits: followLimits(dependencies),
    poisonPolicy: 'stop',
    limitEvents: limit.limitEvents,
    onBatch,
  };
  limit.raise(resumed.checkpoint);
  const runSignal = AbortSignal.any([signal, end.signal]);
  const run = runProjection(running, building, runSignal)
    .catch((err: unknown) => {
      const fields = { err, projection: projection.name, generation };
      if (runSignal.aborted) dependencies.log.info(fields, 'shadow build stopped before its end');
      else dependencies.log.warn(fields, 'shadow build failed');
    })
    .finally(() => {
      isOver = true;
      state.notify();
    });
  const isAt = (to: bigint) =>
    written >= to || (limit.waitingAt !== undefined && limit.waitingAt > to && written >= (limit.lastPassed ?? 0n));
  const when = async (holds: () => boolean, until: AbortSignal) => {
    await state.waitUntil(() => isOver || holds(), until);
    until.throwIfAborted();
  };
  return {
    ready: (until) => when(() => limit.isFollowed, until),
    raiseLimit: (to) => limit.raise(to),
    async reach(to, until) {
      limit.raise(to);
      await when(() => isAt(to), until);
      return isAt(to);
    },
    async end() {
      end.abort();
      await run;
    },
  };
};

const everyMs = 200;
/** Bounds the wait, because neither generation advances while the log has no new events. */
const closeUpMs = 10_000;

export interface ShadowBuild {
  /** Once the run has started, waits at most `closeUpMs` until the new generation has reached the live one. */
  closeUp(): Promise<void>;
  bringTo(paused: Pick<PausedGeneration, 'at' | 'by' | 'signal'>): Promise<void>;
  end(): Promise<void>;
}

/** Undefined if the position is not valid in this log. */
const readLivePosition = async (
  { checkpoints, store }: ReplayDependencies,
  live: LeaseKey,
): Promise<bigint | undefined> => {
  const { position, logId } = await checkpoints.read(live);
  const here = await readLogIdentity(store);
  return logId === here.logId && position <= here.head ? position : undefined;
};

interface ShadowUnit {
  closeUp(): Promise<void>;
  bringTo(at: bigint, by: WriterStopProof, until: AbortSignal): Promise<void>;
  end(): Promise<void>;
}

/** `live`: number of the live generation. `isWritten`: whether the new generation already has a writer. */
interface ShadowOptions {
  readonly target: GenerationPartition;
  readonly live: number;
  readonly isWritten: boolean;
  readonly onProgress: (progress: BuildProgress) => void;
}

const startShadowUnit = async (
  dependencies: ReplayDependencies,
  { target, live: liveGeneration, isWritten, onProgress }: ShadowOptions,
  signal: AbortSignal,
): Promise<ShadowUnit> => {
  const own = partitionKeyOf(target);
  const live = { ...own, generation: liveGeneration };
  const following = isWritten ? undefined : await startShadowFollower(dependencies, target, onProgress, signal);
  const raise = async () => {
    const at = await readLivePosition(dependencies, live);
    if (at !== undefined) following?.raiseLimit(at);
  };
  const timer = setInterval(() => void raise().catch(() => undefined), everyMs);
  return {
    async closeUp() {
      const close = async () => {
        await following?.ready(signal);
        const at = await readLivePosition(dependencies, live);
        const until = AbortSignal.any([signal, AbortSignal.timeout(closeUpMs)]);
        if (at !== undefined) await following?.reach(at, until);
      };
      await close().catch(() => signal.throwIfAborted());
    },
    async bringTo(at, by, until) {
      if (following) {
        // The live generation can be behind the new one if it was restored from a backup.
        if ((await dependencies.checkpoints.read(own)).position > at)
          throw new RetryableReplayError(
            `the live generation of ${own.projection} is behind the new generation ${own.generation}`,
          );
        // If the live writer acknowledged the pause, the log contains a later event, such as the probe. Otherwise, it may contain none.
        if ('heldAt' in by && (await following.reach(at, until))) return;
        await following.end();
      }
      await advanceGeneration(dependencies, { ...target, upTo: at }, onProgress, until);
    },
    async end() {
      clearInterval(timer);
      await following?.end();
    },
  };
};

/** Keeps the new generation close behind the live one, so that the live one pauses only briefly. */
export const startShadowBuild = async (
  dependencies: ReplayDependencies,
  {
    replay: { kind, from, to: generation },
    projection,
  }: { readonly replay: ReplayRecord; readonly projection: Projection },
  onProgress: OnPartitionProgress,
  signal: AbortSignal,
): Promise<ShadowBuild> => {
  const shadows: ShadowUnit[] = [];
  const endAll = () => Promise.all(shadows.map((shadow) => shadow.end()));
  try {
    for (const target of partitionsOf(dependencies, { projection, generation }))
      shadows.push(
        await startShadowUnit(
          dependencies,
          {
            target,
            live: from,
            isWritten: kind !== 'replay',
            onProgress: (progress) => onProgress(target, progress),
          },
          signal,
        ),
      );
  } catch (error) {
    await endAll();
    throw error;
  }
  return {
    async closeUp() {
      await Promise.all(shadows.map((shadow) => shadow.closeUp()));
    },
    async bringTo({ at, by, signal: until }) {
      await runTogether(shadows, (shadow, index, stop) => shadow.bringTo(at[index]!, by[index]!, stop), until);
    },
    async end() {
      await endAll();
    },
  };
};
