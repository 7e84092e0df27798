import { addTallies, readTally, writeTally } from '@popsvc/platform/postgres';
import { liveBatchLimits } from '../batch.ts';
import type { RunnerDependencies } from '../dependencies.ts';
import { buildInParallel } from '../parallel-build/build-in-parallel.ts';
import type { BuildDependencies, Building, BuildProgress, BuildTarget } from '../parallel-build/build.ts';
import { endLogAt } from '../runner/limited-log.ts';
import { runProjection } from '../runner/runner.ts';

/** Nobody waits for these rows yet, but who catches up waits for the last batch. */
const buildAgeMs = 50;

/** What a generation that is built is folded with, event by event: nothing is parked, and what becomes of each is counted. */
export const createFoldDependencies = async (
  parts: BuildDependencies,
  { projection, generation }: Building,
): Promise<RunnerDependencies> => {
  const key = { projection: projection.name, generation };
  let tallied = await readTally(parts.postgres, key);
  const alongside: RunnerDependencies['alsoInCheckpoint'] = async (client, batch) => {
    // What is folded again after a restart of ClickHouse comes in the batches it came in before, and is counted.
    if (!tallied || batch.upTo <= tallied.to) return;
    tallied = { tally: addTallies(tallied.tally, batch.tally), to: batch.upTo };
    await writeTally(client, key, tallied);
  };
  const limits = { ...liveBatchLimits, ...parts.limits, ageMs: buildAgeMs, catchUpAgeMs: buildAgeMs };
  return { ...parts, limits, poisonPolicy: 'stop', alsoInCheckpoint: alongside };
};

/** Folds the log into a generation as the live one is folded, from where it stands up to and including `upTo`. */
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
 * Makes a generation that nobody else writes of the log up to and including `upTo`, and of nothing past it: one that is new at
 * once, one that stands somewhere from there on. Resolves when its checkpoint and its progress stand where an incarnation may
 * go on; told again it goes on where it stood. An event that cannot be folded ends it with PoisonMet. Throws when it cannot go
 * on, or the signal's reason.
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
