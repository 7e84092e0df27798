import { stringify } from 'safe-stable-stringify';

/** A value that holds from an instant until the next segment of the same key begins. */
export interface Segment {
  /** 0 for the first segment: it also holds for all earlier times. */
  readonly validFromMs: number;
}

const hasSameValue = <Held extends Segment>(one: Held | undefined, other: Held | undefined): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    stringify({ ...one, validFromMs: 0 }) === stringify({ ...other, validFromMs: 0 }));

/** Converts a function of time to segments, given the instants at which it may change; joins adjacent equal segments. */
export const buildSegments = <Answer extends object>(
  changes: Iterable<number>,
  at: (instantMs: number) => Answer,
): (Answer & Segment)[] => {
  const later = [...new Set(changes)].filter((change) => change > 0).sort((a, b) => a - b);
  const segments: (Answer & Segment)[] = [];
  for (const validFromMs of [0, ...later]) {
    const segment = { ...at(validFromMs), validFromMs };
    if (!hasSameValue(segments.at(-1), segment)) segments.push(segment);
  }
  return segments;
};

/** The segment that holds at an instant. */
export const segmentAt = <Held extends Segment>(segments: readonly Held[], instantMs: number): Held | undefined =>
  segments.findLast(({ validFromMs }, index) => index === 0 || validFromMs <= instantMs);

/** A time range in which the value of a key has changed; `toMs` is Infinity for an open end. */
export interface ChangedRange<Key> {
  readonly key: Key;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SegmentDiff<Key, Held extends Segment> {
  /** Ranges to recompute, by key. */
  readonly changed: ChangedRange<Key>[];
  /** New or changed segments. */
  readonly write: { readonly key: Key; readonly segment: Held }[];
  /** Beginnings of removed segments. */
  readonly remove: { readonly key: Key; readonly validFromMs: number }[];
}

/** A missing key has the value of the key '', if there is one: unknown screens use the place of their network. */
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
    if (hasSameValue(segmentAt(before, fromMs), segmentAt(after, fromMs))) continue;
    const toMs = cuts[index + 1] ?? Infinity;
    const last = ranges.at(-1);
    if (last?.toMs === fromMs) ranges[ranges.length - 1] = { key, fromMs: last.fromMs, toMs };
    else ranges.push({ key, fromMs, toMs });
  }
  return ranges;
};

/** Compares two maps of segments: the time ranges to recompute, and the segments to write and to remove. */
export const diffSegments = <Key, Held extends Segment>(
  before: ReadonlyMap<Key, readonly Held[]>,
  after: ReadonlyMap<Key, readonly Held[]>,
): SegmentDiff<Key, Held> => {
  const diff: SegmentDiff<Key, Held> = { changed: [], write: [], remove: [] };
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    diff.changed.push(...changedRanges(key, segmentsFor(before, key), segmentsFor(after, key)));
    const old = new Map((before.get(key) ?? []).map((held) => [held.validFromMs, held]));
    for (const segment of after.get(key) ?? []) {
      if (!hasSameValue(old.get(segment.validFromMs), segment)) diff.write.push({ key, segment });
      old.delete(segment.validFromMs);
    }
    for (const validFromMs of old.keys()) diff.remove.push({ key, validFromMs });
  }
  return diff;
};
