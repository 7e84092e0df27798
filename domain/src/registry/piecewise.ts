import { stringify } from 'safe-stable-stringify';

/** Something that holds from an instant until the next of the same key begins. */
export interface Segment {
  /** 0 for the first, which holds for all earlier times too. */
  readonly validFromMs: number;
}

export const sameAnswer = <Held extends Segment>(one: Held | undefined, other: Held | undefined): boolean =>
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
