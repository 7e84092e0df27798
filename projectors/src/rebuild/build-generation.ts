import type { Records } from '@popsvc/platform/records';
import { liveLimits } from '../run/batcher.ts';
import type { Projection } from '../run/projection.ts';
import { runIncarnation, type RunnerParts } from '../run/run-projection.ts';
import { boundedLog } from './bounded-log.ts';

export interface BuildParts extends RunnerParts {
  readonly records: Records;
}

export interface Build {
  readonly projection: Projection;
  readonly generation: number;
  /** Position of the last event to fold; nothing past it is. */
  readonly upTo: bigint;
}

/** Since it was told last. */
export interface BuildProgress {
  readonly events: number;
  /** Everything up to here is written. */
  readonly position: bigint;
  /** How many events the whole build has to fold, where that is known. */
  readonly total?: number;
}

/** Nobody waits for these rows yet, but who catches up waits for the last batch. */
const buildAgeMs = 50;

/**
 * Folds the log into a generation that nobody else writes, from where it stands up to and including `upTo`, and nothing past it.
 * Resolves when its checkpoint and its progress stand where an incarnation may go on; told again it goes on where it stood. An
 * event that cannot be folded ends it. Throws when it cannot go on, or the signal's reason.
 */
export const buildGeneration = async (
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
  const limits = { ...liveLimits, ...parts.limits, ageMs: buildAgeMs };
  await runIncarnation({ ...parts, store, limits, onBatch }, projection, generation, AbortSignal.any([signal, end.signal]));
  signal.throwIfAborted();
};
