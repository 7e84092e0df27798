import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from '../../durable-files.ts';

/** Size of the segment header: file signature (`fileMark`), format version, base position and CRC-32. */
export const segmentHeaderBytes = 64;
const fileMark = 'popsvc-event-log';
const formatVersion = 1;

const segmentPath = (dir: string, base: number): string => join(dir, `${String(base).padStart(16, '0')}.log`);

const encodeHeader = (base: number): Buffer => {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(fileMark, 0, 'latin1');
  header.writeUInt32LE(formatVersion, 16);
  header.writeDoubleLE(base, 24);
  header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
  return header;
};

/** One file of the log. The frame at file offset `n` has the log position `base + n`. */
export class Segment {
  readonly base: number;
  readonly path: string;
  readonly #fd: number;
  /** Log position where the segment's readable bytes end (exclusive). */
  end: number;

  private constructor(path: string, base: number, fd: number, bytes: number) {
    this.path = path;
    this.base = base;
    this.#fd = fd;
    this.end = base + bytes;
  }

  get firstPosition(): number {
    return this.base + segmentHeaderBytes;
  }

  /** Creates a segment file and syncs it to disk, so it survives a power failure. */
  static async create(dir: string, base: number): Promise<Segment> {
    const path = segmentPath(dir, base);
    const segment = new Segment(path, base, fs.openSync(path, 'w+', 0o600), segmentHeaderBytes);
    await segment.write(encodeHeader(base), base);
    await segment.sync();
    await syncDirectory(dir);
    return segment;
  }

  /** Opens a segment file; undefined if the file is shorter than its header. */
  static open(dir: string, base: number): Segment | undefined {
    const path = segmentPath(dir, base);
    const fd = fs.openSync(path, 'r+');
    const bytes = fs.fstatSync(fd).size;
    const header = Buffer.alloc(segmentHeaderBytes);
    fs.readSync(fd, header, 0, segmentHeaderBytes, 0);
    if (bytes >= segmentHeaderBytes && header.equals(encodeHeader(base))) return new Segment(path, base, fd, bytes);
    fs.closeSync(fd);
    if (bytes < segmentHeaderBytes) return undefined;
    throw new Error(`${path} is not a segment of this event log, or its header is damaged`);
  }

  /** Writes all bytes to the file, beginning at a log position. */
  async write(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const from = done;
      done += await new Promise<number>((resolve, reject) => {
        fs.write(this.#fd, bytes, from, bytes.length - from, position - this.base + from, (error, written) =>
          error ? reject(error) : resolve(written),
        );
      });
    }
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fs.fdatasync(this.#fd, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Reads up to `length` bytes from `position` on. Stops at `end`. */
  read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.end - position));
    const bytes = Buffer.allocUnsafeSlow(wanted);
    return new Promise((resolve, reject) => {
      fs.read(this.#fd, bytes, 0, wanted, position - this.base, (error, got) =>
        error ? reject(error) : resolve(got === wanted ? bytes : bytes.subarray(0, got)),
      );
    });
  }

  async truncateAt(position: number): Promise<void> {
    fs.ftruncateSync(this.#fd, position - this.base);
    await this.sync();
    this.end = position;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}

/** The segments of the log in the order of their positions. */
export class SegmentList {
  readonly #dir: string;
  readonly #all: Segment[];

  private constructor(dir: string, all: Segment[]) {
    this.#dir = dir;
    this.#all = all;
  }

  /** Opens the segments of a directory; creates the first one in an empty directory. */
  static async open(dir: string): Promise<SegmentList> {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
    const names = fs.readdirSync(dir).filter((name) => /^\d{16}\.log$/.test(name));
    const opened: Segment[] = [];
    for (const name of names.sort()) {
      const segment = Segment.open(dir, Number(name.slice(0, 16)));
      if (segment) opened.push(segment);
      else if (name === names.at(-1)) fs.rmSync(join(dir, name));
      else
        throw new Error(
          `the event log is damaged: ${join(dir, name)} ends within its header, but other segments follow it; restore a backup`,
        );
    }
    const segments = new SegmentList(dir, opened);
    if (opened.length === 0) await segments.addSegment(0);
    return segments;
  }

  get last(): Segment {
    return this.#all.at(-1)!;
  }

  get all(): readonly Segment[] {
    return this.#all;
  }

  /** Creates the next segment, which begins at log position `base`. */
  async addSegment(base: number): Promise<Segment> {
    const segment = await Segment.create(this.#dir, base);
    this.#all.push(segment);
    return segment;
  }

  /** The last segment that begins at or before `position`. */
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
    for (const segment of this.#all) segment.close();
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
