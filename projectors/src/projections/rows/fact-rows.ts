import type { RecordedDetection } from '@popsvc/contracts/events';
import { mergeWatches } from '@popsvc/domain/audience';
import { readAgeCategory, readGender, readMood } from '@popsvc/domain/vocabulary';
import { type detections, spanMs } from '@popsvc/read-models/tables';
import type { LogItem } from '../../engine/log-items.ts';

export type RowOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

/** Returns the columns of facts that come from an item's sequence and metadata. Throws if the metadata has no network or vendor. */
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

/**
 * Number of five-minute spans in 31 days. A valid event lasts at most one day. Without the limit, an invalid event could exhaust the
 * memory.
 */
const maxSpans = 8_928;

/** Returns all spans that [from, to) overlaps, at least the span of `from`. Throws a `RangeError` for more than 31 days. */
export const spansOf = (fromMs: number, toMs: number): number[] => {
  const first = spanOf(fromMs);
  const last = Math.max(first, Math.ceil(toMs / spanMs) - 1);
  if (!(last - first < maxSpans)) throw new RangeError('the event lasts longer than 31 days');
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
};

/** The entry of a closed vocabulary for a vendor's word. `mapped`: false if no entry matches. */
interface Word {
  readonly value: string;
  readonly mapped: boolean;
}

/** Returns the vocabulary's entry for a word. It may also count words that match no entry. */
export type ReadWord = (vocabulary: string, word: Word) => string;

export const createUnmappedWordCounter = () => {
  let counts = new Map<string, number>();
  const readWord: ReadWord = (vocabulary, { value, mapped }) => {
    if (!mapped) counts.set(vocabulary, (counts.get(vocabulary) ?? 0) + 1);
    return value;
  };
  return {
    readWord,
    /** Returns the number of words that matched no entry since the last call, by vocabulary. */
    takeCounts(): ReadonlyMap<string, number> {
      const taken = counts;
      counts = new Map();
      return taken;
    },
  };
};

/** Builds the row of one version of a detection. Sorts the watch intervals and joins overlapping ones. */
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
