import { statSync } from 'node:fs';
import { replaceFile } from '../../durable-files.ts';
import { endOfAppendFlag, readClaimedLength, readFlags, validFrameLength } from './frames.ts';
import type { Segment } from './segments.ts';

const stepBytes = 4 * 1024 * 1024;

/** Returns the position after the last append whose frames are all valid. */
const findEndOfCompleteAppends = async (segment: Segment): Promise<number> => {
  let position = segment.firstPosition;
  let completeEnd = position;
  for (;;) {
    let bytes = await segment.read(position, stepBytes);
    const firstFrameLength = readClaimedLength(bytes, 0);
    if (firstFrameLength > bytes.length && position + firstFrameLength <= segment.end)
      bytes = await segment.read(position, firstFrameLength);
    let at = 0;
    for (;;) {
      const length = validFrameLength(bytes, at, bytes.length);
      if (length === 0) break;
      if (readFlags(bytes, at) & endOfAppendFlag) completeEnd = position + at + length;
      at += length;
    }
    if (at === 0) return completeEnd;
    position += at;
  }
};

/**
 * Truncates the segment after its last complete append. The removed bytes are kept in a file next to the segment, because a damaged
 * disk may have caused the invalid data. Returns the position after the removed bytes, where the log continues; undefined if nothing
 * was removed.
 */
export const truncateTornTail = async (segment: Segment): Promise<number | undefined> => {
  const { end } = segment;
  const completeEnd = await findEndOfCompleteAppends(segment);
  const removedPath = `${segment.path}.cut-${completeEnd}`;
  if (completeEnd === end) {
    // If this file exists, an earlier process truncated the segment here but was killed before it created the next segment. The
    // log therefore still has to continue after the removed bytes.
    const removed = statSync(removedPath, { throwIfNoEntry: false });
    return removed && completeEnd + removed.size;
  }
  await replaceFile(removedPath, await segment.read(completeEnd, end - completeEnd));
  await segment.truncateAt(completeEnd);
  return end;
};
