import type { LeaseKey, ReplayRecord } from '@popsvc/platform/postgres';
import type { RunnerDependencies } from '../dependencies.ts';
import { readLogIdentity } from '../event-log.ts';
import type { BuildDependencies, Building, BuildProgress } from '../parallel-build/build.ts';
import type { Projection } from '../projection.ts';
import { createCondition, createLimitedLog } from '../runner/limited-log.ts';
import { runProjection } from '../runner/runner.ts';
import { advanceGeneration } from './catch-up.ts';
import { createFoldDependencies } from './build-generation.ts';
import type { ReplayDependencies } from './dependencies.ts';
import { RetryableReplayError } from './errors.ts';
import type { ReplayReport } from './report.ts';
import type { PausedGeneration } from './pause.ts';

/** A generation that is folded on, ready for what comes, as far as it is let. */
interface ShadowFollower {
  /** Lets it go on up to there. */
  raiseLimit(to: bigint): void;
  /** Resolves once it waits for events, or is over. */
  ready(until: AbortSignal): Promise<void>;
  /**
   * Has it handle all it reads up to there, once something it reads stands there or further on. False: it ended before, for
   * whatever reason; who needs to know builds on with `buildGeneration`.
   */
  reach(to: bigint, until: AbortSignal): Promise<boolean>;
  /** Resolves when nothing of it is under way any more. */
  end(): Promise<void>;
}

/**
 * Goes on folding a generation in one incarnation that waits where it is bound: what takes its time at the beginning of one
 * (what it recalls of the whole log above all) is over when somebody stands still and waits for the last events.
 */
export const startShadowFollower = async (
  parts: BuildDependencies,
  building: Building,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<ShadowFollower> => {
  const { projection, generation } = building;
  const end = new AbortController();
  let isOver = false;
  const state = createCondition();
  const paced = createLimitedLog(parts.store, projection.reads, () => state.notify());
  let { position: written } = await parts.checkpoints.read({ projection: projection.name, generation });
  const onBatch: RunnerDependencies['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.events, position: batch.upTo });
    state.notify();
  };
  const folding = { ...(await createFoldDependencies(parts, building)), store: paced.store, onBatch };
  paced.raiseLimit(written);
  const running = runProjection(folding, projection, generation, AbortSignal.any([signal, end.signal]))
    .catch((err: unknown) =>
      parts.log.info({ err, projection: projection.name, generation }, 'a build follows no more'),
    )
    .finally(() => {
      isOver = true;
      state.notify();
    });
  const isAt = (to: bigint) =>
    written >= to || (paced.waitingAt !== undefined && paced.waitingAt > to && written >= (paced.lastPassed ?? 0n));
  const when = async (holds: () => boolean, until: AbortSignal) => {
    await state.waitUntil(() => isOver || holds(), until);
    until.throwIfAborted();
  };
  return {
    ready: (until) => when(() => paced.isFollowed, until),
    raiseLimit: (to) => paced.raiseLimit(to),
    async reach(to, until) {
      paced.raiseLimit(to);
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
/** A log in which nothing happens moves nobody on. */
const closeUpMs = 10_000;

/** The generation that is built, right behind the live one. */
export interface ShadowBuild {
  /** Has it come close, and ready for what comes. */
  closeUp(): Promise<void>;
  /** Brings it to where the live one stands still. */
  bringTo(still: Pick<PausedGeneration, 'at' | 'by' | 'signal'>): Promise<void>;
  /** Nobody folds it any more. */
  end(): Promise<void>;
}

const liveStandsAt = async (
  { checkpoints, store }: ReplayDependencies,
  live: LeaseKey,
): Promise<bigint | undefined> => {
  const [{ position, logId }, here] = [await checkpoints.read(live), await readLogIdentity(store)];
  return logId === here.logId && position <= here.head ? position : undefined;
};

/**
 * Keeps what is built right behind the live one, and never ahead of it, from when it has caught up: so the live one stands still
 * only for the last few events. What is kept for a rollback somebody keeps up already.
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
    const at = await liveStandsAt(parts, live);
    if (at !== undefined) following?.raiseLimit(at);
  };
  const timer = setInterval(() => void raise().catch(() => undefined), everyMs);
  return {
    async closeUp() {
      const close = async () => {
        await following?.ready(signal);
        const at = await liveStandsAt(parts, live);
        const until = AbortSignal.any([signal, AbortSignal.timeout(closeUpMs)]);
        if (at !== undefined) await following?.reach(at, until);
      };
      await close().catch(() => signal.throwIfAborted());
    },
    async bringTo({ at, by, signal: until }) {
      if (following) {
        // Where the live one was put back to an older copy, it is not there again.
        if ((await parts.checkpoints.read(own)).position > at)
          throw new RetryableReplayError('the live generation fell behind');
        // By its lease it stands wherever nobody looked for events; else the one that had it look is the next.
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
