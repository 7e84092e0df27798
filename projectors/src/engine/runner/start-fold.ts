import { createParkingLimit } from '../parking/alarm.ts';
import { createSkippedEvents } from '../parking/aside.ts';
import { readDecisions } from '../parking/decisions.ts';
import { createEventApplier, type EventApplier } from '../parking/intake.ts';
import type { Fold } from '../projection.ts';
import { readTimeZones } from '@popsvc/platform/clickhouse';
import { restoreState } from '../parking/recall.ts';
import type { RunnerDependencies, ProjectionGeneration } from '../runner-parts.ts';

type Parts = Pick<RunnerDependencies, 'store' | 'writer' | 'checkpoints' | 'log' | 'poisonPolicy'>;

/** A fold that remembers the log up to a position, as a generation took it, and what lets events into it. */
export const startFold = async (
  { store, writer, checkpoints, log, poisonPolicy: poison = 'park' }: Parts,
  { projection, generation }: ProjectionGeneration,
  upTo: bigint,
  signal: AbortSignal,
): Promise<{ readonly fold: Fold; readonly intake: EventApplier }> => {
  const fold = projection.createFold();
  const decisions = await readDecisions(store, projection, upTo);
  const key = { projection: projection.name, generation };
  const parking = await checkpoints.readParking(key, { after: upTo, orderedPrefixes: projection.recalls });
  const zones = await readTimeZones(writer);
  const aside = createSkippedEvents(projection, decisions, parking);
  await restoreState(store, projection, fold, upTo, { signal, log, skipped: aside });
  const alarm = createParkingLimit(parking.parkedInLastMinute);
  const isStopped = parking.stoppedAt !== undefined;
  const intake = createEventApplier({
    store,
    projection,
    fold,
    skipped: aside,
    timeZones: zones,
    parkingLimit: alarm,
    isParkingStopped: isStopped,
    poisonPolicy: poison,
    log,
    signal,
  });
  return { fold, intake };
};
