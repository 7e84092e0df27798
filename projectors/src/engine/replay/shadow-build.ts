import type { LeaseKey, ReplayRecord } from '@popsvc/platform/postgres';
import type { ProjectionGeneration, RunnerDependencies } from '../dependencies.ts';
import { readResumePoint } from '../checkpoint.ts';
import { readLogIdentity } from '../event-log.ts';
import type { Projection } from '../projection.ts';
import { createCondition, createPositionLimit } from '../runner/event-limit.ts';
import { runProjection } from '../runner/runner.ts';
import { advanceGeneration } from './catch-up.ts';
import { type BuildProgress, createFoldDependencies, followLimits } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';
import type { ReplayReport } from './report.ts';
import type { PausedGeneration } from './pause.ts';

/** A new generation that follows the log up to a limit. */
interface ShadowFollower {
  /** Lets it continue up to this position. */
  raiseLimit(to: bigint): void;
  /** Resolves once it waits for events, or has ended. */
  ready(until: AbortSignal): Promise<void>;
  /**
   * Waits until it contains all events up to a position; requires that one of its events is at that position or later.
   * Returns false when it ended before; `buildGeneration` then continues.
   */
  reach(to: bigint, until: AbortSignal): Promise<boolean>;
  /** Resolves when nothing of it is running. */
  end(): Promise<void>;
}

/**
 * Folds a generation in one run that waits at a limit. The slow start of a run, mostly restoring state, is over before
 * the live generation pauses for the last events.
 */
export const startShadowFollower = async (
  parts: RunnerDependencies,
  building: ProjectionGeneration,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<ShadowFollower> => {
  const { projection, generation } = building;
  const end = new AbortController();
  let isOver = false;
  const state = createCondition();
  const limit = createPositionLimit(() => state.notify());
  const key = { projection: projection.name, generation };
  // After a restart of ClickHouse the run folds events again, and until then its tables may lack their rows.
  const resumed = await readResumePoint({ ...parts, here: await readLogIdentity(parts.store) }, key);
  let written = resumed.position;
  const onBatch: RunnerDependencies['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.events, position: batch.upTo });
    state.notify();
  };
  const { dependencies } = await createFoldDependencies(parts, building, followLimits(parts));
  const folding = { ...dependencies, limitEvents: limit.limitEvents, onBatch };
  limit.raise(resumed.checkpoint);
  const running = runProjection(folding, projection, generation, AbortSignal.any([signal, end.signal]))
    .catch((err: unknown) => parts.log.info({ err, projection: projection.name, generation }, 'shadow build stopped'))
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
      await running;
    },
  };
};

const everyMs = 200;
/** The wait must end: a log without new events moves no generation. */
const closeUpMs = 10_000;

/** The new generation, kept close behind the live one. */
export interface ShadowBuild {
  /** Waits until it is close and ready for further events. */
  closeUp(): Promise<void>;
  /** Advances it to the position of the paused live generation. */
  bringTo(paused: Pick<PausedGeneration, 'at' | 'by' | 'signal'>): Promise<void>;
  /** Resolves when no process folds it. */
  end(): Promise<void>;
}

const readLivePosition = async (
  { checkpoints, store }: ReplayDependencies,
  live: LeaseKey,
): Promise<bigint | undefined> => {
  const [{ position, logId }, here] = [await checkpoints.read(live), await readLogIdentity(store)];
  return logId === here.logId && position <= here.head ? position : undefined;
};

/**
 * Keeps the new generation close behind the live one, and never ahead of it, so that the live one pauses only for the
 * last few events. A kept generation is run by the supervisor already.
 */
export const startShadowBuild = async (
  parts: ReplayDependencies,
  {
    replay: { kind, from, to: generation },
    projection,
  }: { readonly replay: ReplayRecord; readonly projection: Projection },
  { onProgress }: Pick<ReplayReport, 'onProgress'>,
  signal: AbortSignal,
): Promise<ShadowBuild> => {
  const live = { projection: projection.name, generation: from };
  const own = { projection: projection.name, generation };
  const following =
    kind === 'replay' ? await startShadowFollower(parts, { projection, generation }, onProgress, signal) : undefined;
  const raise = async () => {
    const at = await readLivePosition(parts, live);
    if (at !== undefined) following?.raiseLimit(at);
  };
  const timer = setInterval(() => void raise().catch(() => undefined), everyMs);
  return {
    async closeUp() {
      const close = async () => {
        await following?.ready(signal);
        const at = await readLivePosition(parts, live);
        const until = AbortSignal.any([signal, AbortSignal.timeout(closeUpMs)]);
        if (at !== undefined) await following?.reach(at, until);
      };
      await close().catch(() => signal.throwIfAborted());
    },
    async bringTo({ at, by, signal: until }) {
      if (following) {
        // The live generation was restored from a backup and is behind its old position.
        if ((await parts.checkpoints.read(own)).position > at)
          throw new RetryableReplayError('the live generation is behind the new one');
        // A generation paused by its lease may be at a position without an event. A generation paused by its writer has
        // an event next, the probe, so the follower can reach it.
        if ('heldAt' in by && (await following.reach(at, until))) return;
        await following.end();
      }
      await advanceGeneration(parts, { projection, generation, upTo: at }, onProgress, until);
    },
    async end() {
      clearInterval(timer);
      await following?.end();
    },
  };
};
