import { moving } from '../runner/moving.ts';
import { pacedLog } from '../runner/paced-log.ts';
import { runIncarnation } from '../runner/run-projection.ts';
import type { RunnerParts } from '../runner-parts.ts';
import type { Building, BuildParts, BuildProgress } from '../parallel-build/build.ts';
import { foldParts } from './fold-parts.ts';

/** A generation that is folded on, ready for what comes, as far as it is let. */
export interface Follower {
  /** Lets it go on up to there. */
  raise(to: bigint): void;
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
export const followClosely = async (
  parts: BuildParts,
  building: Building,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<Follower> => {
  const { projection, generation } = building;
  const end = new AbortController();
  let isOver = false;
  const state = moving();
  const paced = pacedLog(parts.store, projection.reads, () => state.moved());
  let { position: written } = await parts.checkpoints.read({ projection: projection.name, generation });
  const onBatch: RunnerParts['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.events, position: batch.upTo });
    state.moved();
  };
  const folding = { ...(await foldParts(parts, building)), store: paced.store, onBatch };
  paced.raise(written);
  const running = runIncarnation(folding, projection, generation, AbortSignal.any([signal, end.signal]))
    .catch((err: unknown) =>
      parts.log.info({ err, projection: projection.name, generation }, 'a build follows no more'),
    )
    .finally(() => {
      isOver = true;
      state.moved();
    });
  const isAt = (to: bigint) =>
    written >= to || (paced.waiting !== undefined && paced.waiting > to && written >= (paced.passed ?? 0n));
  const when = async (holds: () => boolean, until: AbortSignal) => {
    await state.until(() => isOver || holds(), until);
    until.throwIfAborted();
  };
  return {
    ready: (until) => when(() => paced.isFollowed, until),
    raise: (to) => paced.raise(to),
    async reach(to, until) {
      paced.raise(to);
      await when(() => isAt(to), until);
      return isAt(to);
    },
    async end() {
      end.abort();
      await running;
    },
  };
};
