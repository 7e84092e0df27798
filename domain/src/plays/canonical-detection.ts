import type { Detection } from '@popsvc/contracts/commands';
import type { DetectionRecorded } from '@popsvc/contracts/events';
import { utc } from './utc.ts';

/** A detection as the log keeps it: instants in UTC with milliseconds, age as text, defaults written out. */
export const canonicalDetection = ({ age, ...detection }: Detection): DetectionRecorded => ({
  ...detection,
  revision: detection.revision ?? 0,
  startedAt: utc(detection.startedAt),
  endedAt: utc(detection.endedAt),
  ...(age !== undefined && { age: String(age) }),
  distance: detection.distance ?? [],
  watches: detection.watches.map(({ startedAt, endedAt }) => ({ startedAt: utc(startedAt), endedAt: utc(endedAt) })),
  population: detection.population ?? 'VIEWER',
});
