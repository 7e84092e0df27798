import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from '@popsvc/platform/runtime';
import type { DescriptorCache } from './descriptors.ts';

/**
 * The header consists of file signature (`fileMark`), format version, base position, base and end of the previous segment (0 in the
 * first), and CRC-32.
 */
export const segmentHeaderBytes = 64;
const fileMark = 'popsvc-event-log';
const formatVersion = 2;

export interface SegmentHeader {
  readonly base: number;
  readonly previousBase: number;
  readonly previousEnd: number;
}

export const segmentPath = (dir: string, base: number): string => join(dir, `${String(base).padStart(16, '0')}.log`);
export const indexPath = (path: string): string => path.replace(/\.log$/, '.index');

export const listSegmentBases = (dir: string): number[] =>
  fs
    .readdirSync(dir)
    .filter((name) => /^\d{16}\.log$/.test(name))
    .map((name) => Number(name.slice(0, 16)))
    .sort((a, b) => a - b);

export const encodeSegmentHeader = ({ base, previousBase, previousEnd }: SegmentHeader): Buffer => {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(fileMark, 0, 'latin1');
  header.writeUInt32LE(formatVersion, 16);
  header.writeDoubleLE(base, 24);
  header.writeDoubleLE(previousBase, 32);
  header.writeDoubleLE(previousEnd, 40);
  header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
  return header;
};

/** Returns undefined if the header is damaged or of another format. */
export const decodeSegmentHeader = (bytes: Buffer): SegmentHeader | undefined => {
  if (bytes.length < segmentHeaderBytes) return undefined;
  const header = {
    base: bytes.readDoubleLE(24),
    previousBase: bytes.readDoubleLE(32),
    previousEnd: bytes.readDoubleLE(40),
  };
  return bytes.subarray(0, segmentHeaderBytes).equals(encodeSegmentHeader(header)) ? header : undefined;
};

/** The frame at file offset `n` has the log position `base + n`. */
export class Segment {
  readonly header: SegmentHeader;
  readonly path: string;
  readonly #files: DescriptorCache;
  /** Log position where the segment's readable bytes end (exclusive). */
  end: number;
  /** Number of frames before `end`; counted only in the newest segment. */
  frames = 0;

  constructor(dir: string, header: SegmentHeader, end: number, files: DescriptorCache) {
    this.path = segmentPath(dir, header.base);
    this.header = header;
    this.#files = files;
    this.end = end;
  }

  get base(): number {
    return this.header.base;
  }

  get firstPosition(): number {
    return this.base + segmentHeaderBytes;
  }

  static async create(dir: string, header: SegmentHeader, files: DescriptorCache): Promise<Segment> {
    const segment = new Segment(dir, header, header.base + segmentHeaderBytes, files);
    try {
      fs.closeSync(fs.openSync(segment.path, 'w', 0o600));
      await segment.write(encodeSegmentHeader(header), header.base);
      await segment.sync();
    } catch (error) {
      // The next attempt creates another file with this path. A descriptor that stays open would write to the removed file.
      files.close(segment.path);
      fs.rmSync(segment.path, { force: true });
      throw error;
    }
    await syncDirectory(dir);
    return segment;
  }

  write(bytes: Buffer, position: number): Promise<void> {
    return this.#files.use(this.path, async (fd) => {
      for (let done = 0; done < bytes.length;) {
        const from = done;
        done += await new Promise<number>((resolve, reject) => {
          fs.write(fd, bytes, from, bytes.length - from, position - this.base + from, (error, written) =>
            error ? reject(error) : resolve(written),
          );
        });
      }
    });
  }

  /**
   * A write and its sync must use the same descriptor: the kernel reports a failed write-back only to descriptors that were open when it
   * happened.
   */
  keepOpen<T>(work: () => Promise<T>): Promise<T> {
    return this.#files.use(this.path, work);
  }

  sync(): Promise<void> {
    return this.#files.use(
      this.path,
      (fd) =>
        new Promise((resolve, reject) => {
          fs.fdatasync(fd, (error) => (error ? reject(error) : resolve()));
        }),
    );
  }

  read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.end - position));
    const bytes = Buffer.allocUnsafeSlow(wanted);
    return this.#files.use(
      this.path,
      (fd) =>
        new Promise((resolve, reject) => {
          fs.read(fd, bytes, 0, wanted, position - this.base, (error, got) =>
            error ? reject(error) : resolve(got === wanted ? bytes : bytes.subarray(0, got)),
          );
        }),
    );
  }

  truncateAt(position: number): Promise<void> {
    return this.#files.use(this.path, async (fd) => {
      fs.ftruncateSync(fd, position - this.base);
      await this.sync();
      this.end = position;
    });
  }
}

export class SegmentList {
  readonly #dir: string;
  readonly #files: DescriptorCache;
  readonly #all: Segment[];

  constructor(dir: string, all: Segment[], files: DescriptorCache) {
    this.#dir = dir;
    this.#files = files;
    this.#all = all;
  }

  get last(): Segment {
    return this.#all.at(-1)!;
  }

  get all(): readonly Segment[] {
    return this.#all;
  }

  async addSegment(base: number): Promise<Segment> {
    const { base: previousBase, end: previousEnd } = this.last;
    const segment = await Segment.create(this.#dir, { base, previousBase, previousEnd }, this.#files);
    this.#all.push(segment);
    return segment;
  }

  segmentAt(position: number): Segment {
    return this.#all[this.#indexOf(position)]!;
  }

  previousOf(segment: Segment): Segment | undefined {
    return this.#all[this.#indexOf(segment.base) - 1];
  }

  nextOf(segment: Segment): Segment | undefined {
    return this.#all[this.#indexOf(segment.base) + 1];
  }

  close(): void {
    this.#files.closeAll();
  }

  #indexOf(position: number): number {
    let low = 0;
    let high = this.#all.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#all[middle]!.base <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
