import { statSync } from 'node:fs';
import { claimedLength, endOfAppend, flagsOf, wholeLength } from './frame.ts';
import { replaceFile } from './replace-file.ts';
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
 * and not a kill. Answers the position behind the cut bytes, where the log may go on, or undefined when nothing was cut.
 */
export const recoverSegment = async (segment: Segment): Promise<number | undefined> => {
  const { end } = segment;
  const whole = await endOfWholeAppends(segment);
  const keep = `${segment.path}.cut-${whole}`;
  if (whole === end) {
    // A kill after the cut and before the next file was begun: the positions behind it are as lost as before.
    const cut = statSync(keep, { throwIfNoEntry: false });
    return cut && whole + cut.size;
  }
  await replaceFile(keep, await segment.read(whole, end - whole));
  await segment.cutAt(whole);
  return end;
};
