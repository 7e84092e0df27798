import { claimedLength, wholeLength } from './frame.ts';
import { type Segment } from './segment.ts';

/** Whole frames as they stand in the log, one behind the other from `from` to `to`. */
export interface Page {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** Log position of offset 0 of `bytes`. */
  readonly position: number;
}

/** Larger reads win nothing: the page cache of the system stands behind. */
const pageBytes = 256 * 1024;

export class DamagedLog extends Error {
  override readonly name = 'DamagedLog';
  constructor(segment: Segment, position: number) {
    super(`no whole record stands at position ${position} of ${segment.path}`);
  }
}

/** Bytes at `position` up to the end of the last frame that is whole; undefined at the end of the segment. */
export const pageFrom = async (segment: Segment, position: number, bytes = pageBytes): Promise<Page | undefined> => {
  if (position >= segment.end) return undefined;
  let read = await segment.read(position, bytes);
  const first = claimedLength(read, 0);
  if (first > read.length && position + first <= segment.end) read = await segment.read(position, first);
  let to = 0;
  for (let length = wholeLength(read, 0, read.length); length > 0; length = wholeLength(read, to, read.length)) {
    to += length;
  }
  if (to === 0) throw new DamagedLog(segment, position);
  return { bytes: read, from: 0, to, position };
};

/** Whole frames that end at `position`, walked from there backwards; undefined at the beginning of the segment. */
export const pageBefore = async (segment: Segment, position: number): Promise<Page | undefined> => {
  if (position <= segment.firstPosition) return undefined;
  let start = Math.max(segment.firstPosition, position - pageBytes);
  let read = await segment.read(start, position - start);
  const last = read.length < 4 ? 0 : read.readUInt32LE(read.length - 4);
  if (last > read.length && position - last >= segment.firstPosition) {
    start = position - last;
    read = await segment.read(start, last);
  }
  let from = read.length;
  for (;;) {
    const length = from < 4 ? 0 : read.readUInt32LE(from - 4);
    if (length === 0 || length > from || wholeLength(read, from - length, from) === 0) break;
    from -= length;
  }
  if (from === read.length) throw new DamagedLog(segment, position);
  return { bytes: read, from, to: read.length, position: start };
};
