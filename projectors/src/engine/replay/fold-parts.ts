import { writeTally, readTally, addTallies } from '@popsvc/platform/postgres';
import { liveBatchLimits } from '../limits.ts';
import type { RunnerDependencies } from '../runner-parts.ts';
import type { Building, BuildDependencies } from '../parallel-build/build.ts';

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
