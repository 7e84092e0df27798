import type { BuildProgress } from '../parallel-build/build.ts';
import { advanceGeneration, type AdvanceTarget } from './bring.ts';
import type { ReplayDependencies } from './replay-parts.ts';
import { readValidPosition } from './stands-at.ts';

/** What is left after a round that took less time, or was of fewer events, is not worth another round. */
const closeMs = 5_000;
const closeEvents = 2_000;

export interface CatchUpOptions extends Omit<AdvanceTarget, 'upTo'> {
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
