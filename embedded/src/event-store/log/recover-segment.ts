import { existsSync, writeFileSync } from 'node:fs';
import { claimedLength, endOfAppend, flagsOf, wholeLength } from './frame.ts';
import { type Segment } from './segment.ts';

const stepBytes = 4 * 1024 * 1024;

/** Position behind the last append of which every record is whole. */
const endOfWholeAppends = async (segment: Segment): Promise<number> => {
  let position = segment.firstPosition;
  let whole = position;
  for (;;) {
    let bytes = await segment.read(position, stepBytes);
    const first = claimedLength(bytes, 0);
    if (first > bytes.length && position + first <= segment.end) bytes = await segment.read(position, first);
    let at = 0;
    for (let length = wholeLength(bytes, 0, bytes.length); length > 0; length = wholeLength(bytes, at, bytes.length)) {
      if (flagsOf(bytes, at) & endOfAppend) whole = position + at + length;
      at += length;
    }
    if (at === 0) return whole;
    position += at;
  }
};

/**
 * Cuts the segment behind its last whole append. What is cut off is kept beside it, in case the cause was a damaged disk
 * and not a kill. Answers the position behind the cut bytes, or undefined when nothing had to be cut.
 */
export const recoverSegment = async (segment: Segment): Promise<number | undefined> => {
  const end = segment.end;
  const whole = await endOfWholeAppends(segment);
  if (whole === end) return undefined;
  const keep = `${segment.path}.cut-${whole}`;
  if (!existsSync(keep)) writeFileSync(keep, await segment.read(whole, end - whole), { mode: 0o600 });
  await segment.cutAt(whole);
  return end;
};
