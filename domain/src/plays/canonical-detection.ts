import type { Detection } from '@popsvc/contracts/commands';
import type { DetectionRecorded } from '@popsvc/contracts/events';
import { toUtcInstant } from './utc.ts';

/** A detection as the log keeps it: instants in UTC with milliseconds, age as text, defaults written out. */
export const toDetectionRecorded = ({ age, ...detection }: Detection): DetectionRecorded => ({
  ...detection,
  revision: detection.revision ?? 0,
  startedAt: toUtcInstant(detection.startedAt),
  endedAt: toUtcInstant(detection.endedAt),
  ...(age !== undefined && { age: String(age) }),
  distance: detection.distance ?? [],
  watches: detection.watches.map(({ startedAt, endedAt }) => ({
    startedAt: toUtcInstant(startedAt),
    endedAt: toUtcInstant(endedAt),
  })),
  population: detection.population ?? 'VIEWER',
});
