import { addTallies, readTally, writeTally } from '@popsvc/platform/postgres';
import { liveBatchLimits } from '../batch.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import { buildInParallel } from '../parallel-build/build-in-parallel.ts';
import type { BuildDependencies, Building, BuildProgress, BuildTarget } from '../parallel-build/build.ts';
import { endLogAt } from '../runner/limited-log.ts';
import { runProjection } from '../runner/runner.ts';

/** The rows are not read yet, but a catch-up waits for the last batch. */
const buildAgeMs = 50;

/**
 * Dependencies for folding a new generation sequentially: nothing is parked, and the outcome of each event is counted.
 */
export const createFoldDependencies = async (
  parts: BuildDependencies,
  { projection, generation }: Building,
): Promise<RunnerDependencies> => {
  const key = { projection: projection.name, generation };
  let tallied = await readTally(parts.postgres, key);
  const alongside: RunnerDependencies['alsoInCheckpoint'] = async (client, batch) => {
    // After a restart of ClickHouse the same batches come again, and are already counted.
    if (!tallied || batch.upTo <= tallied.to) return;
    tallied = { tally: addTallies(tallied.tally, batch.tally), to: batch.upTo };
    await writeTally(client, key, tallied);
  };
  const limits = { ...liveBatchLimits, ...parts.limits, ageMs: buildAgeMs, catchUpAgeMs: buildAgeMs };
  return { ...parts, limits, poisonPolicy: 'stop', alsoInCheckpoint: alongside };
};

/** Folds the log into a generation with the live runner, from its checkpoint up to and including `upTo`. */
const foldUpTo = async (
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

/**
 * Builds a generation that no other process writes from the log up to and including `upTo`: a new one in parallel, an
 * existing one from its checkpoint on. Resolves when a run can continue from its checkpoint and progress; a repeated
 * call resumes. Throws `UnfoldableEvent` for an event that cannot be folded, or the signal's reason.
 */
export const buildGeneration = async (
  parts: BuildDependencies,
  build: BuildTarget,
  onProgress: (progress: BuildProgress) => void,
  signal: AbortSignal,
): Promise<void> => {
  const key = { projection: build.projection.name, generation: build.generation };
  const { position, begun } = await parts.checkpoints.read(key);
  if (build.projection.parallelBuild && position === 0n && begun === 0n && build.upTo > 0n) {
    const madeOf = await buildInParallel(parts, build, onProgress, signal);
    if (madeOf >= build.upTo) return;
  }
  await foldUpTo(parts, build, onProgress, signal);
};
