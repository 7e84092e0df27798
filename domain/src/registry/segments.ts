import { stringify } from 'safe-stable-stringify';

/** Something that holds from an instant until the next of the same key begins. */
export interface Segment {
  /** 0 for the first, which holds for all earlier times too. */
  readonly validFromMs: number;
}

const sameAnswer = <Held extends Segment>(one: Held | undefined, other: Held | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    stringify({ ...one, validFromMs: 0 }) === stringify({ ...other, validFromMs: 0 }));

/** A function of time as segments, given the instants at which it may change; adjacent equal ones are joined. */
export const buildSegments = <Answer extends object>(
  changes: Iterable<number>,
  at: (instantMs: number) => Answer,
): (Answer & Segment)[] => {
  const later = [...new Set(changes)].filter((change) => change > 0).sort((a, b) => a - b);
  const segments: (Answer & Segment)[] = [];
  for (const validFromMs of [0, ...later]) {
    const segment = { ...at(validFromMs), validFromMs };
    if (!sameAnswer(segments.at(-1), segment)) segments.push(segment);
  }
  return segments;
};

/** The segment that holds at an instant. */
export const segmentAt = <Held extends Segment>(segments: readonly Held[], instantMs: number): Held | undefined =>
  segments.findLast(({ validFromMs }, index) => index === 0 || validFromMs <= instantMs);

/** A stretch of time in which the answer for a key is no longer what it was; `toMs` is Infinity when it has no end. */
export interface ChangedRange<Key> {
  readonly key: Key;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SegmentDiff<Key, Held extends Segment> {
  /** What must be computed again, by key and time. */
  readonly changed: ChangedRange<Key>[];
  /** Segments that are new or say something else. */
  readonly write: { readonly key: Key; readonly segment: Held }[];
  /** Beginnings of segments that are no more. */
  readonly remove: { readonly key: Key; readonly validFromMs: number }[];
}

/** A key that is not in the map is answered as the key '' is, where there is one: unknown screens by their network. */
const segmentsFor = <Key, Held extends Segment>(map: ReadonlyMap<Key, readonly Held[]>, key: Key): readonly Held[] =>
  map.get(key) ?? map.get('' as Key) ?? [];

const changedRanges = <Key, Held extends Segment>(
  key: Key,
  before: readonly Held[],
  after: readonly Held[],
): ChangedRange<Key>[] => {
  const cuts = [...new Set([0, ...before.map((held) => held.validFromMs), ...after.map((held) => held.validFromMs)])];
  cuts.sort((a, b) => a - b);
  const ranges: ChangedRange<Key>[] = [];
  for (const [index, fromMs] of cuts.entries()) {
    if (sameAnswer(segmentAt(before, fromMs), segmentAt(after, fromMs))) continue;
    const toMs = cuts[index + 1] ?? Infinity;
    const last = ranges.at(-1);
    if (last?.toMs === fromMs) ranges[ranges.length - 1] = { key, fromMs: last.fromMs, toMs };
    else ranges.push({ key, fromMs, toMs });
  }
  return ranges;
};

/** What changed between two maps of segments: the time ranges to compute again, and the rows to write and to remove. */
export const diffSegments = <Key, Held extends Segment>(
  before: ReadonlyMap<Key, readonly Held[]>,
  after: ReadonlyMap<Key, readonly Held[]>,
): SegmentDiff<Key, Held> => {
  const diff: SegmentDiff<Key, Held> = { changed: [], write: [], remove: [] };
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    diff.changed.push(...changedRanges(key, segmentsFor(before, key), segmentsFor(after, key)));
    const old = new Map((before.get(key) ?? []).map((held) => [held.validFromMs, held]));
    for (const segment of after.get(key) ?? []) {
      if (!sameAnswer(old.get(segment.validFromMs), segment)) diff.write.push({ key, segment });
      old.delete(segment.validFromMs);
    }
    for (const validFromMs of old.keys()) diff.remove.push({ key, validFromMs });
  }
  return diff;
};
