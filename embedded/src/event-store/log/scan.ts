import { createHash, type Hash, randomFillSync } from 'node:crypto';
import fs from 'node:fs';
import { type Frame, noEventFlag, readClaimedLength, readFlags, smallestFrame, validFrameLength } from './frames.ts';
import type { Damage } from './damage.ts';
import { decodeSegmentHeader, segmentHeaderBytes, type SegmentHeader } from './segments.ts';

const stepBytes = 4 * 1024 * 1024;
/** Where the disk has unreadable sectors, each read covers one page of the kernel. */
const pageBytes = 4096;
/** Larger than every frame: the largest gRPC message has 16 MiB. */
export const largestFrame = 64 * 1024 * 1024;

export class SegmentFile {
  readonly base: number;
  readonly #fd: number;
  readonly #onRead: (bytes: number) => void;
  readonly #hash: Hash | undefined;
  #hashedTo: number;
  /** Log position after the last byte of the file. */
  readonly end: number;

  /** `onRead` is called with the number of bytes of each read, so that the caller can limit the speed. */
  constructor(
    path: string,
    base: number,
    { withHash = false, onRead = () => undefined }: { withHash?: boolean; onRead?: (bytes: number) => void } = {},
  ) {
    this.base = base;
    this.#fd = fs.openSync(path, 'r');
    this.#onRead = onRead;
    this.#hash = withHash ? createHash('sha256') : undefined;
    this.#hashedTo = base;
    this.end = base + fs.fstatSync(this.#fd).size;
  }

  get header(): SegmentHeader | undefined {
    return decodeSegmentHeader(this.read(this.base, segmentHeaderBytes));
  }

  /** Replaces pages that the disk cannot read by random bytes, so that no frame in them is valid. Zeros could equal the stored bytes. */
  read(position: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.end - position)));
    let done = 0;
    let isByPage = false;
    while (done < bytes.length) {
      const at = position - this.base + done;
      const left = bytes.length - done;
      const step = isByPage ? Math.min(left, pageBytes - (at % pageBytes)) : left;
      try {
        const got = fs.readSync(this.#fd, bytes, done, step, at);
        if (got === 0) break;
        done += got;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
        if (isByPage) {
          randomFillSync(bytes, done, step);
          done += step;
        }
        isByPage = true;
      }
    }
    this.#onRead(done);
    const read = bytes.subarray(0, done);
    if (position <= this.#hashedTo && position + done > this.#hashedTo) {
      this.#hash?.update(read.subarray(this.#hashedTo - position));
      this.#hashedTo = position + done;
    }
    return read;
  }

  /** In hexadecimal; empty unless the file was opened `withHash`. */
  finishHash(): string {
    if (!this.#hash) return '';
    while (this.#hashedTo < this.end) {
      const { length } = this.read(this.#hashedTo, stepBytes);
      // The node truncated the file meanwhile.
      if (length === 0) break;
    }
    return this.#hash.digest('hex');
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

export type Scanned =
  | { readonly is: 'frame'; readonly frame: Frame; readonly position: number; readonly length: number }
  | { readonly is: 'damaged'; readonly from: number; readonly to: number };

export const findNextFrame = (file: SegmentFile, from: number, end: number): number => {
  for (let start = from; start + smallestFrame <= end; start += stepBytes) {
    const bytes = file.read(start, Math.min(stepBytes + smallestFrame, end - start));
    const last = Math.min(stepBytes, bytes.length - smallestFrame + 1);
    for (let at = 0; at < last; at += 1) {
      const length = readClaimedLength(bytes, at);
      if (length < smallestFrame || length > largestFrame || start + at + length > end) continue;
      if (isFrameAt(file, start + at, length, bytes, at)) return start + at;
    }
  }
  return end;
};

const isFrameAt = (file: SegmentFile, position: number, length: number, bytes: Buffer, at: number): boolean => {
  if (at + length <= bytes.length) return validFrameLength(bytes, at, bytes.length, position) > 0;
  const trailer = file.read(position + length - 4, 4);
  if (trailer.length < 4 || trailer.readUInt32LE(0) !== length) return false;
  return validFrameLength(file.read(position, length), 0, length, position) > 0;
};

/** After a damaged frame, continues at the next valid one. */
export function* scanFrames(file: SegmentFile, from: number, end: number): Generator<Scanned> {
  let position = from;
  while (position < end) {
    let bytes = file.read(position, Math.min(stepBytes, end - position));
    const claimed = readClaimedLength(bytes, 0);
    if (claimed > bytes.length && claimed <= largestFrame && position + claimed <= end)
      bytes = file.read(position, claimed);
    let at = 0;
    for (;;) {
      const length = validFrameLength(bytes, at, bytes.length, position + at);
      if (length === 0) break;
      yield { is: 'frame', frame: { bytes, at }, position: position + at, length };
      at += length;
    }
    position += at;
    if (at > 0 || position >= end) continue;
    const to = findNextFrame(file, position + 1, end);
    yield { is: 'damaged', from: position, to };
    position = to;
  }
}

export const isEvent = ({ bytes, at }: Frame): boolean => (readFlags(bytes, at) & noEventFlag) === 0;

export interface SegmentCheck {
  readonly isHeaderValid: boolean;
  readonly end: number;
  readonly frames: number;
  readonly events: number;
  readonly damaged: readonly { readonly from: number; readonly to: number }[];
  /** Hash of the file, in hexadecimal; empty if `upTo` was set. */
  readonly sha256: string;
}

/** Without `upTo`, checks the whole file and also hashes it. */
export const checkSegment = (
  path: string,
  base: number,
  { upTo, onRead }: { readonly upTo?: number; readonly onRead?: (bytes: number) => void } = {},
): SegmentCheck => {
  const file = new SegmentFile(path, base, { withHash: upTo === undefined, ...(onRead && { onRead }) });
  try {
    const header = file.header;
    const end = Math.min(upTo ?? file.end, file.end);
    const damaged: { from: number; to: number }[] = [];
    let frames = 0;
    let events = 0;
    for (const scanned of scanFrames(file, base + segmentHeaderBytes, end)) {
      if (scanned.is === 'damaged') damaged.push({ from: scanned.from, to: scanned.to });
      else {
        frames += 1;
        if (isEvent(scanned.frame)) events += 1;
      }
    }
    return { isHeaderValid: header?.base === base, end, frames, events, damaged, sha256: file.finishHash() };
  } finally {
    file.close();
  }
};

/** `sealed` is the segment's entry in the manifest. Its hash reveals changes that leave every frame valid. */
export const findFrameDamage = (
  path: string,
  base: number,
  { damaged, isHeaderValid, end, sha256 }: SegmentCheck,
  sealed: { readonly end: number; readonly sha256: string } | undefined,
): Damage[] => {
  if (damaged.length > 0)
    return damaged.map(({ from, to }) => ({
      file: path,
      position: from,
      what: `no whole record before position ${to}`,
    }));
  const isChanged = sealed !== undefined && isHeaderValid && end === sealed.end && sha256 !== sealed.sha256;
  return isChanged ? [{ file: path, position: base, what: 'its content is not the one that was sealed' }] : [];
};
