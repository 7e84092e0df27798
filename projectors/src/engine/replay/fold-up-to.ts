import { runProjection } from '../runner/run-projection.ts';
import type { RunnerDependencies } from '../runner-parts.ts';
import { endLogAt } from '../runner/bounded-log.ts';
import type { BuildTarget, BuildDependencies, BuildProgress } from '../parallel-build/build.ts';
import { createFoldDependencies } from './fold-parts.ts';

/** Folds the log into a generation as the live one is folded, from where it stands up to and including `upTo`. */
export const foldUpTo = async (
  parts: BuildDependencies,
  { projection, generation, upTo }: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const end = new AbortController();
  let written = -1n;
  let last: bigint | undefined;
  const endIfReached = () => {
    if (last !== undefined && written >= last) end.abort();
  };
  const store = endLogAt(parts.store, { prefixes: projection.reads, upTo }, (met) => {
    last = met ?? written;
    endIfReached();
  });
  const onBatch: RunnerDependencies['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.events, position: batch.upTo });
    endIfReached();
  };
  const folding = await createFoldDependencies(parts, { projection, generation });
  await runProjection({ ...folding, store, onBatch }, projection, generation, AbortSignal.any([signal, end.signal]));
  signal.throwIfAborted();
};
