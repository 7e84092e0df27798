import { setTimeout as sleep } from 'node:timers/promises';
import { type BuildProgress, buildGeneration } from '../rebuild/index.ts';
import { requireThisLog, thisLog } from '../run/another-log.ts';
import { LeaseLost } from '../run/final.ts';
import type { Projection } from '../run/projection.ts';
import { NotNow } from './not-now.ts';
import type { ReplayParts } from './replay-parts.ts';

const lookEveryMs = 100;

export interface Destination {
  readonly projection: Projection;
  readonly generation: number;
  /** At least there it is to stand; one that nobody else writes then stands exactly there. */
  readonly upTo: bigint;
}

/** Builds a generation up to a position, or waits until who else writes it is there. Throws AnotherLog where it was made of one. */
export const bring = async (
  parts: ReplayParts,
  { projection, generation, upTo }: Destination,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: projection.name, generation };
  for (;;) {
    signal.throwIfAborted();
    const { position, begun, logId } = await parts.checkpoints.read(key);
    // Else what was made of another log might pass for one that has come far enough.
    requireThisLog(key, { position, logId }, await thisLog(parts.store));
    if (position >= upTo) return;
    // The live one was put back to an older copy and is not there again.
    if (begun > upTo) throw new NotNow(`${key.projection} generation ${generation} is ahead of the live one`);
    try {
      // What is live may set an event aside and go on; what is built anew has to be right.
      await buildGeneration({ ...parts, poison: 'stop' }, { projection, generation, upTo }, onProgress, signal);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      await sleep(lookEveryMs, undefined, { signal });
    }
  }
};
