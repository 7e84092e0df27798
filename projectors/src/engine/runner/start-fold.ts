import { parkingAlarm } from '../parking/alarm.ts';
import { createAside } from '../parking/aside.ts';
import { readDecisions } from '../parking/decisions.ts';
import { createIntake, type Intake } from '../parking/intake.ts';
import type { Fold } from '../projection.ts';
import { readTimeZones } from '@popsvc/platform/clickhouse';
import { recall } from '../parking/recall.ts';
import type { RunnerParts, Which } from '../runner-parts.ts';

type Parts = Pick<RunnerParts, 'store' | 'writer' | 'checkpoints' | 'log' | 'poison'>;

/** A fold that remembers the log up to a position, as a generation took it, and what lets events into it. */
export const startFold = async (
  { store, writer, checkpoints, log, poison = 'park' }: Parts,
  { projection, generation }: Which,
  upTo: bigint,
  signal: AbortSignal,
): Promise<{ readonly fold: Fold; readonly intake: Intake }> => {
  const fold = projection.start();
  const decisions = await readDecisions(store, projection, upTo);
  const key = { projection: projection.name, generation };
  const parking = await checkpoints.readParking(key, { after: upTo, orderedPrefixes: projection.recalls });
  const zones = await readTimeZones(writer);
  const aside = createAside(projection, decisions, parking);
  await recall(store, projection, fold, upTo, { signal, log, aside });
  const alarm = parkingAlarm(parking.parkedInLastMinute);
  const isStopped = parking.stoppedAt !== undefined;
  const intake = createIntake({ store, projection, fold, aside, zones, alarm, isStopped, poison, log, signal });
  return { fold, intake };
};
