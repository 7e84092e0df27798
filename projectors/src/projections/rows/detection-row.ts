import type { DetectionRecorded } from '@popsvc/contracts/events';
import type { detections } from '@popsvc/read-models/tables';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood } from '@popsvc/domain/vocabulary';
import type { LogEvent } from '@popsvc/platform/event-store';
import { sourceOf } from './source.ts';
import type { Understand } from './word-count.ts';

/** A version of a detection as both audience projections store it; looks are sorted and overlapping ones joined. */
export const detectionRow = (event: LogEvent, detection: DetectionRecorded, understand: Understand) => {
  const looks = detection.watches.map(({ startedAt, endedAt }) => ({
    from: Date.parse(startedAt),
    to: Date.parse(endedAt),
  }));
  const joined = mergeWatches(looks, 0);
  return {
    detection_id: detection.detectionId,
    revision: detection.revision,
    device_id: detection.deviceId,
    feeder_id: detection.feederId ?? 0,
    camera_id: detection.cameraId ?? 0,
    watcher_id: detection.watcherId,
    reid: detection.reid ?? '',
    started_at: Date.parse(detection.startedAt),
    ended_at: Date.parse(detection.endedAt),
    gender: understand('gender', readGender(detection.gender)),
    age: detection.age ?? '',
    age_category: understand('age_category', readAgeCategory(detection.ageCategory, detection.age)),
    mood: understand('mood', readMood(detection.mood)),
    distance: detection.distance,
    watch_starts: joined.map(({ from }) => from),
    watch_ends: joined.map(({ to }) => to),
    population: detection.population,
    ...sourceOf(event),
  } satisfies Record<keyof (typeof detections)['fields'], unknown>;
};
