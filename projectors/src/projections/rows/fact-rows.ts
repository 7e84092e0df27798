import type { RecordedDetection } from '@popsvc/contracts/events';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood } from '@popsvc/domain/vocabulary';
import { type detections, spanMs } from '@popsvc/read-models/tables';
import type { LogItem } from '../../engine/log-items.ts';

export type RowOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

/** Throws if the metadata has no network or vendor. */
export const sourceOf = ({ metadata, sequence, recordedAtMs }: LogItem) => {
  const { network, vendor, receivedAt } = metadata;
  if (network === undefined || vendor === undefined)
    throw new Error(`the event metadata has no ${network === undefined ? 'network' : 'vendor'}`);
  return {
    network_id: network,
    vendor,
    pos: sequence,
    received_at: Date.parse(receivedAt),
    recorded_at: recordedAtMs,
  };
};

export type Source = ReturnType<typeof sourceOf>;

export const spanOf = (atMs: number): number => Math.floor(atMs / spanMs);

/** Number of five-minute spans in 31 days. A valid event lasts at most one day; an invalid one could exhaust the memory. */
const maxSpans = 8_928;

/** Returns at least the span of `fromMs`. Throws a `RangeError` for more than 31 days. */
export const spansOf = (fromMs: number, toMs: number): number[] => {
  const first = spanOf(fromMs);
  const last = Math.max(first, Math.ceil(toMs / spanMs) - 1);
  if (!(last - first < maxSpans)) throw new RangeError('the event lasts longer than 31 days');
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

/** `mapped`: false if no entry of the closed vocabulary matches the vendor's word. */
interface Word {
  readonly value: string;
  readonly mapped: boolean;
}

export type ReadWord = (vocabulary: string, word: Word) => string;

export const createUnmappedWordCounter = () => {
  let counts = new Map<string, number>();
  const readWord: ReadWord = (vocabulary, { value, mapped }) => {
    if (!mapped) counts.set(vocabulary, (counts.get(vocabulary) ?? 0) + 1);
    return value;
  };
  return {
    readWord,
    takeCounts(): ReadonlyMap<string, number> {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
};

/** Sorts the watch intervals and joins those that overlap or touch. */
export const detectionRow = (item: LogItem, detection: RecordedDetection, readWord: ReadWord) => {
  const watches = detection.watches.map(({ startedAt, endedAt }) => ({
    from: Date.parse(startedAt),
    to: Date.parse(endedAt),
  }));
  const merged = mergeWatches(watches, 0);
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
    gender: readWord('gender', readGender(detection.gender)),
    age: detection.age ?? '',
    age_category: readWord('age_category', readAgeCategory(detection.ageCategory, detection.age)),
    mood: readWord('mood', readMood(detection.mood)),
    distance: detection.distance,
    watch_starts: merged.map(({ from }) => from),
    watch_ends: merged.map(({ to }) => to),
    population: detection.population,
    ...sourceOf(item),
  } satisfies RowOf<typeof detections>;
};
