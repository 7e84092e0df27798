import { createCondition } from '../runner/moving.ts';
import { createLimitedLog } from '../runner/paced-log.ts';
import { runProjection } from '../runner/run-projection.ts';
import type { RunnerDependencies } from '../runner-parts.ts';
import type { Building, BuildDependencies, BuildProgress } from '../parallel-build/build.ts';
import { createFoldDependencies } from './fold-parts.ts';

/** A generation that is folded on, ready for what comes, as far as it is let. */
export interface ShadowFollower {
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
