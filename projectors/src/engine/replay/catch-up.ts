import type { BuildProgress } from '../parallel-build/build.ts';
import { bring, type Destination } from './bring.ts';
import type { ReplayParts } from './replay-parts.ts';
import { standsAt } from './stands-at.ts';

/** What is left after a round that took less time, or was of fewer events, is not worth another round. */
const closeMs = 5_000;
const closeEvents = 2_000;

export interface CatchUp extends Omit<Destination, 'upTo'> {
  readonly live: number;
  readonly onTarget: (target: bigint) => void;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Brings a generation to where the live one stands, until the rest is a matter of seconds. */
export const catchUp = async (
  parts: ReplayParts,
  { projection, generation, live, onTarget, onProgress }: CatchUp,
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
    const upTo = await standsAt(parts, { projection: projection.name, generation: live });
    onTarget(upTo);
    await bring(parts, { projection, generation, upTo }, onRound, signal);
    if (performance.now() - began < closeMs || events < closeEvents) return;
  }
};
