import { noteTally, readTally, sumOfTallies } from '@popsvc/platform/records';
import { liveLimits } from '../run/limits.ts';
import { runIncarnation } from '../run/run-projection.ts';
import type { RunnerParts } from '../run/runner-parts.ts';
import { boundedLog } from './bounded-log.ts';
import type { Build, BuildParts, BuildProgress } from './build.ts';

/** Nobody waits for these rows yet, but who catches up waits for the last batch. */
const buildAgeMs = 50;

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
  const key = { projection: projection.name, generation };
  let tallied = await readTally(parts.records, key);
  const alongside: RunnerParts['alongside'] = async (client, batch) => {
    // What is folded again after a restart of ClickHouse comes in the batches it came in before, and is counted.
    if (!tallied || batch.upTo <= tallied.to) return;
    tallied = { tally: sumOfTallies(tallied.tally, batch.tally), to: batch.upTo };
    await noteTally(client, key, tallied);
  };
  const limits = { ...liveLimits, ...parts.limits, ageMs: buildAgeMs };
  await runIncarnation(
    { ...parts, store, limits, poison: 'stop', onBatch, alongside },
    projection,
    generation,
    AbortSignal.any([signal, end.signal]),
  );
  signal.throwIfAborted();
};
