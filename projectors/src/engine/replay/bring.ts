import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildProgress } from '../parallel-build/build.ts';
import { buildGeneration } from './build-generation.ts';
import { requireSameLog, readLogIdentity } from '../another-log.ts';
import { LeaseLost } from '../final.ts';
import type { Projection } from '../projection.ts';
import { RetryableReplayError } from './not-now.ts';
import type { ReplayDependencies } from './replay-parts.ts';

const lookEveryMs = 100;
/** Within that a batch that was begun is done. */
const batchMs = 3_000;

export interface AdvanceTarget {
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
      await sleep(lookEveryMs, undefined, { signal });
      continue;
    }
    try {
      // What is live may set an event aside and go on; what is built anew has to be right.
      await buildGeneration({ ...parts, poisonPolicy: 'stop' }, { projection, generation, upTo }, onProgress, signal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(lookEveryMs, undefined, { signal });
    }
  }
};
