import type { DetectionRecorded } from '@popsvc/contracts/events';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood } from '@popsvc/domain/vocabulary';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { detections } from '@popsvc/read-models/tables';

/** Where a fact comes from. Throws when the event carries no network or vendor: such an event is not ours to project. */
export const sourceOf = ({ metadata, position, recordedAtMs }: LogEvent) => {
  const { network, vendor, receivedAt } = metadata;
  if (network === undefined || vendor === undefined) throw new Error('the event names no network or vendor');
  return {
    network_id: network,
    vendor,
    pos: position,
    received_at: Date.parse(receivedAt),
    recorded_at: recordedAtMs,
  };
};

export type Source = ReturnType<typeof sourceOf>;

/** Facts are looked up by spans of five minutes; an instant belongs to the span it lies in. */
export const spanMs = 300_000;

/** The span an instant lies in. */
export const spanOf = (atMs: number): number => Math.floor(atMs / spanMs);

/** A month: nothing that is looked up by spans lasts longer than a day. */
const most = 8_928;

/** Every span that [from, to) touches; at least the one of `from`. Throws when they are more than there can be. */
export const spansOf = (fromMs: number, toMs: number): number[] => {
  const first = spanOf(fromMs);
  const last = Math.max(first, Math.ceil(toMs / spanMs) - 1);
  if (!(last - first < most)) throw new RangeError('it lasts longer than a month');
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

/** What a vocabulary made of a text. */
interface Word {
  readonly value: string;
  readonly mapped: boolean;
}

/** Takes the value of a word, and counts it under its vocabulary when it was not understood. */
export type Understand = (vocabulary: string, word: Word) => string;

export const wordCount = () => {
  let counts = new Map<string, number>();
  const understand: Understand = (vocabulary, { value, mapped }) => {
    if (!mapped) counts.set(vocabulary, (counts.get(vocabulary) ?? 0) + 1);
    return value;
  };
  return {
    understand,
    /** The counts since the last call. */
    take(): ReadonlyMap<string, number> {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
};

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
