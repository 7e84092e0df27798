import { DamagedRecordError } from './damage.ts';
import { readClaimedLength, type Frame, validFrameLength } from './frames.ts';
import { findNextFrame, largestFrame, SegmentFile } from './scan.ts';
import type { Segment, SegmentList } from './segments.ts';

export interface Page {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Log position of the first byte in `bytes`. */
  readonly bytesPosition: number;
}

/** Larger reads are not faster, because the operating system's page cache serves them. */
const pageBytes = 256 * 1024;

const isPlausible = (segment: Segment, position: number, length: number): boolean =>
  length <= largestFrame && position + length <= segment.end;

const readSegmentPageFrom = async (segment: Segment, position: number): Promise<Page | undefined> => {
  if (position >= segment.end) return undefined;
  let bytes = await segment.read(position, pageBytes);
  const firstFrameLength = readClaimedLength(bytes, 0);
  if (firstFrameLength > bytes.length && isPlausible(segment, position, firstFrameLength))
    bytes = await segment.read(position, firstFrameLength);
  let end = 0;
  for (;;) {
    const length = validFrameLength(bytes, end, bytes.length, position + end);
    if (length === 0) break;
    end += length;
  }
  if (end === 0) throw new DamagedRecordError(segment.path, position);
  return { bytes, start: 0, end, bytesPosition: position };
};

const readSegmentPageBefore = async (segment: Segment, position: number): Promise<Page | undefined> => {
  if (position <= segment.firstPosition) return undefined;
  let start = Math.max(segment.firstPosition, position - pageBytes);
  let bytes = await segment.read(start, position - start);
  const lastFrameLength = bytes.length < 4 ? 0 : bytes.readUInt32LE(bytes.length - 4);
  if (
    lastFrameLength > bytes.length &&
    lastFrameLength <= largestFrame &&
    position - lastFrameLength >= segment.firstPosition
  ) {
    start = position - lastFrameLength;
    bytes = await segment.read(start, lastFrameLength);
  }
  let firstFrame = bytes.length;
  for (;;) {
    const length = firstFrame < 4 ? 0 : bytes.readUInt32LE(firstFrame - 4);
    if (
      length === 0 ||
      length > firstFrame ||
      validFrameLength(bytes, firstFrame - length, firstFrame, start + firstFrame - length) === 0
    )
      break;
    firstFrame -= length;
  }
  if (firstFrame === bytes.length) throw new DamagedRecordError(segment.path, position);
  return { bytes, start: firstFrame, end: bytes.length, bytesPosition: start };
};

const smallPageBytes = 4096;

/** Throws a `DamagedRecordError` if a segment between the two is missing, or the end of `before`. */
const assertAdjacent = (before: Segment, after: Segment): void => {
  const { previousBase, previousEnd } = after.header;
  if (previousBase !== before.base || previousEnd !== before.end) throw new DamagedRecordError(before.path, before.end);
};

export const readLogPageFrom = async (segments: SegmentList, position: number): Promise<Page | undefined> => {
  for (let segment = segments.segmentAt(position); ;) {
    const page = await readSegmentPageFrom(segment, Math.max(position, segment.firstPosition));
    if (page) return page;
    const next = segments.nextOf(segment);
    if (!next) return undefined;
    assertAdjacent(segment, next);
    segment = next;
  }
};

export const readLogPageBefore = async (segments: SegmentList, position: number): Promise<Page | undefined> => {
  for (let segment = segments.segmentAt(position - 1); ;) {
    const page = await readSegmentPageBefore(segment, Math.min(position, segment.end));
    if (page) return page;
    const previous = segments.previousOf(segment);
    if (!previous) return undefined;
    assertAdjacent(previous, segment);
    segment = previous;
  }
};

/** Unless a valid frame begins at `position`, reads the segment up to there, and throws a `DamagedRecordError` at damaged bytes. */
export const isFrameBoundary = async (segment: Segment, position: number): Promise<boolean> => {
  if (position < segment.firstPosition || position >= segment.end) return false;
  const bytes = await segment.read(position, smallPageBytes);
  const claimed = readClaimedLength(bytes, 0);
  const whole =
    claimed > bytes.length && isPlausible(segment, position, claimed) ? await segment.read(position, claimed) : bytes;
  if (validFrameLength(whole, 0, whole.length, position) > 0) return true;
  for (let reached = segment.firstPosition; reached <= position;) {
    const page = await readSegmentPageFrom(segment, reached);
    if (!page) return false;
    reached = page.bytesPosition + page.end;
  }
  return false;
};

export const findFrameFrom = (segments: SegmentList, position: number): number | undefined => {
  for (let segment: Segment | undefined = segments.segmentAt(position); segment; segment = segments.nextOf(segment)) {
    const file = new SegmentFile(segment.path, segment.base);
    try {
      const found = findNextFrame(file, Math.max(position, segment.firstPosition), segment.end);
      if (found < segment.end) return found;
    } finally {
      file.close();
    }
  }
  return undefined;
};

const maxCachedBytes = 8 * 1024 * 1024;

/** Keeps the newest groups of appends in memory, so that live readers seldom need the disk. */
export class RecentGroups {
  readonly #groups: Page[] = [];
  #bytes = 0;

  add(position: number, bytes: Buffer): void {
    this.#groups.push({ bytes, start: 0, end: bytes.length, bytesPosition: position });
    this.#bytes += bytes.length;
    while (this.#bytes > maxCachedBytes && this.#groups.length > 1) this.#bytes -= this.#groups.shift()!.end;
  }

  /** `position` must not be inside a frame. Returns undefined if the frames are not in memory. */
  pageFrom(position: number): Page | undefined {
    const groups = this.#groups;
    const newest = groups.at(-1);
    if (!newest || position < groups[0]!.bytesPosition || position >= newest.bytesPosition + newest.end)
      return undefined;
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (groups[middle]!.bytesPosition <= position) low = middle;
      else high = middle - 1;
    }
    const group = groups[low]!;
    const start = position - group.bytesPosition;
    return start < group.end ? { ...group, start } : groups[low + 1];
  }
}

const joinBytes = 16 * 1024;
/** The length of the last frame is not known before the read. */
const readAheadBytes = 4 * 1024;

interface PositionGroup {
  readonly segment: Segment;
  readonly positions: number[];
}

const groupNearbyPositions = (
  positions: readonly number[],
  segmentAt: (position: number) => Segment,
): PositionGroup[] => {
  const groups: PositionGroup[] = [];
  for (const position of positions) {
    const group = groups.at(-1);
    const last = group?.positions.at(-1);
    const isNear = last !== undefined && Math.abs(position - last) < joinBytes;
    if (group && isNear && segmentAt(position) === group.segment) group.positions.push(position);
    else groups.push({ segment: segmentAt(position), positions: [position] });
  }
  return groups;
};

const readPositionGroup = async ({ segment, positions }: PositionGroup): Promise<Frame[]> => {
  const start = Math.min(...positions);
  const last = Math.max(...positions);
  let bytes = await segment.read(start, last - start + readAheadBytes);
  const claimed = readClaimedLength(bytes, last - start);
  const needed = last - start + claimed;
  if (needed > bytes.length && isPlausible(segment, last, claimed)) bytes = await segment.read(start, needed);
  return positions.map((position) => {
    if (validFrameLength(bytes, position - start, bytes.length, position) === 0)
      throw new DamagedRecordError(segment.path, position);
    return { bytes, at: position - start };
  });
};

/** Unless all frames are in memory, reads all of them from disk; one read covers frames that are close together. */
export const readFramesAt = (
  positions: readonly number[],
  recentGroups: RecentGroups,
  segmentAt: (position: number) => Segment,
): Frame[] | Promise<Frame[]> => {
  const recent: Frame[] = [];
  for (const position of positions) {
    const page = recentGroups.pageFrom(position);
    if (!page) break;
    recent.push({ bytes: page.bytes, at: page.start });
  }
  if (recent.length === positions.length) return recent;
  return Promise.all(groupNearbyPositions(positions, segmentAt).map(readPositionGroup)).then((frames) => frames.flat());
};
