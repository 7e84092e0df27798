import { writeTally, readTally, addTallies } from '@popsvc/platform/postgres';
import { liveLimits } from '../limits.ts';
import type { RunnerParts } from '../runner-parts.ts';
import type { Building, BuildParts } from '../parallel-build/build.ts';

/** Nobody waits for these rows yet, but who catches up waits for the last batch. */
const buildAgeMs = 50;

/** What a generation that is built is folded with, event by event: nothing is parked, and what becomes of each is counted. */
export const foldParts = async (parts: BuildParts, { projection, generation }: Building): Promise<RunnerParts> => {
  const key = { projection: projection.name, generation };
  let tallied = await readTally(parts.postgres, key);
  const alongside: RunnerParts['alongside'] = async (client, batch) => {
    // What is folded again after a restart of ClickHouse comes in the batches it came in before, and is counted.
    if (!tallied || batch.upTo <= tallied.to) return;
    tallied = { tally: addTallies(tallied.tally, batch.tally), to: batch.upTo };
    await writeTally(client, key, tallied);
  };
  const limits = { ...liveLimits, ...parts.limits, ageMs: buildAgeMs, pastAgeMs: buildAgeMs };
  return { ...parts, limits, poison: 'stop', alongside };
};
