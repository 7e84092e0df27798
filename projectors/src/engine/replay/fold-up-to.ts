import { runIncarnation } from '../runner/run-projection.ts';
import type { RunnerParts } from '../runner-parts.ts';
import { boundedLog } from '../runner/bounded-log.ts';
import type { Build, BuildParts, BuildProgress } from '../parallel-build/build.ts';
import { foldParts } from './fold-parts.ts';

/** Folds the log into a generation as the live one is folded, from where it stands up to and including `upTo`. */
export const foldUpTo = async (
  parts: BuildParts,
  { projection, generation, upTo }: Build,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const end = new AbortController();
  let written = -1n;
  let last: bigint | undefined;
  const endIfReached = () => {
    if (last !== undefined && written >= last) end.abort();
  };
  const store = boundedLog(parts.store, { prefixes: projection.reads, upTo }, (met) => {
    last = met ?? written;
    endIfReached();
  });
  const onBatch: RunnerParts['onBatch'] = (_, batch) => {
    written = batch.upTo;
    onProgress({ events: batch.events, position: batch.upTo });
    endIfReached();
  };
  const folding = await foldParts(parts, { projection, generation });
  await runIncarnation({ ...folding, store, onBatch }, projection, generation, AbortSignal.any([signal, end.signal]));
  signal.throwIfAborted();
};
