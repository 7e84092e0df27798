import { stringify } from 'safe-stable-stringify';

/** A value that is in force until the next segment begins. */
export interface Segment {
  /** In ms since 1970; 0 for the first segment, which also applies to all earlier times. */
  readonly validFromMs: number;
}

const hasSameValue = <SegmentType extends Segment>(
  one: SegmentType | undefined,
  other: SegmentType | undefined,
): boolean =>
  one === other ||
  (one !== undefined &&
    other !== undefined &&
    stringify({ ...one, validFromMs: 0 }) === stringify({ ...other, validFromMs: 0 }));

/** `changes` contains the times when the value may change. */
export const buildSegments = <Value extends object>(
  changes: Iterable<number>,
  at: (instantMs: number) => Value,
): (Value & Segment)[] => {
  const later = [...new Set(changes)].filter((change) => change > 0).sort((a, b) => a - b);
  const segments: (Value & Segment)[] = [];
  for (const validFromMs of [0, ...later]) {
    const segment = { ...at(validFromMs), validFromMs };
    if (!hasSameValue(segments.at(-1), segment)) segments.push(segment);
  }
  return segments;
};

/** The first segment also applies to all earlier times. */
export const segmentAt = <SegmentType extends Segment>(
  segments: readonly SegmentType[],
  instantMs: number,
): SegmentType | undefined => segments.findLast(({ validFromMs }, index) => index === 0 || validFromMs <= instantMs);

/** `toMs` is Infinity if the range has no end. */
export interface ChangedRange<Key> {
  readonly key: Key;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface SegmentDiff<Key, SegmentType extends Segment> {
  /** Time ranges to recompute, because the value of a key changed in them. */
  readonly changed: ChangedRange<Key>[];
  readonly write: { readonly key: Key; readonly segment: SegmentType }[];
  readonly remove: { readonly key: Key; readonly validFromMs: number }[];
}

/** A screen without segments of its own has those of unregistered screens, which have the key ''. */
const segmentsFor = <Key, SegmentType extends Segment>(
  map: ReadonlyMap<Key, readonly SegmentType[]>,
  key: Key,
): readonly SegmentType[] => map.get(key) ?? map.get('' as Key) ?? [];

const changedRanges = <Key, SegmentType extends Segment>(
  key: Key,
  before: readonly SegmentType[],
  after: readonly SegmentType[],
): ChangedRange<Key>[] => {
  const cuts = [
    ...new Set([0, ...before.map((segment) => segment.validFromMs), ...after.map((segment) => segment.validFromMs)]),
  ];
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

export const diffSegments = <Key, SegmentType extends Segment>(
  before: ReadonlyMap<Key, readonly SegmentType[]>,
  after: ReadonlyMap<Key, readonly SegmentType[]>,
): SegmentDiff<Key, SegmentType> => {
  const diff: SegmentDiff<Key, SegmentType> = { changed: [], write: [], remove: [] };
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    diff.changed.push(...changedRanges(key, segmentsFor(before, key), segmentsFor(after, key)));
    const old = new Map((before.get(key) ?? []).map((segment) => [segment.validFromMs, segment]));
    for (const segment of after.get(key) ?? []) {
      if (!hasSameValue(old.get(segment.validFromMs), segment)) diff.write.push({ key, segment });
      old.delete(segment.validFromMs);
    }
    for (const validFromMs of old.keys()) diff.remove.push({ key, validFromMs });
  }
  return diff;
};
