import fs from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncDirectory } from './sync-directory.ts';

/** Bytes before the first frame of a file: mark, format version, base position, crc32. */
export const segmentHeaderBytes = 64;
const mark = 'popsvc-event-log';
const formatVersion = 1;

const pathOf = (dir: string, base: number): string => join(dir, `${String(base).padStart(16, '0')}.log`);

const headerFor = (base: number): Buffer => {
  const header = Buffer.alloc(segmentHeaderBytes);
  header.write(mark, 0, 'latin1');
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
  /** Log position behind the last byte that readers may see. */
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

  /** Creates the file so that it is still there after a power cut. */
  static async create(dir: string, base: number): Promise<Segment> {
    const path = pathOf(dir, base);
    const segment = new Segment(path, base, fs.openSync(path, 'w+', 0o600), segmentHeaderBytes);
    await segment.write(headerFor(base), base);
    await segment.sync();
    await syncDirectory(dir);
    return segment;
  }

  /** Opens a file, or answers undefined when it ends before its header does. */
  static open(dir: string, base: number): Segment | undefined {
    const path = pathOf(dir, base);
    const fd = fs.openSync(path, 'r+');
    const bytes = fs.fstatSync(fd).size;
    const header = Buffer.alloc(segmentHeaderBytes);
    fs.readSync(fd, header, 0, segmentHeaderBytes, 0);
    if (bytes >= segmentHeaderBytes && header.equals(headerFor(base))) return new Segment(path, base, fd, bytes);
    fs.closeSync(fd);
    if (bytes < segmentHeaderBytes) return undefined;
    throw new Error(`${path} is not a segment of this event log, or its header is damaged`);
  }

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

  /** Bytes from `position` on, at most `length`, fewer at the end of what readers may see. */
  read(position: number, length: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(length, this.end - position));
    const bytes = Buffer.allocUnsafeSlow(wanted);
    return new Promise((resolve, reject) => {
      fs.read(this.#fd, bytes, 0, wanted, position - this.base, (error, got) =>
        error ? reject(error) : resolve(got === wanted ? bytes : bytes.subarray(0, got)),
      );
    });
  }

  async cutAt(position: number): Promise<void> {
    fs.ftruncateSync(this.#fd, position - this.base);
    await this.sync();
    this.end = position;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }
}
