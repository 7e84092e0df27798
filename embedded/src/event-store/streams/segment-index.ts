import { crc32 } from 'node:zlib';

/** The offsets are counted from the segment's base, in order of revision. The offset 0 marks a revision that the log has lost by damage. */
export interface RevisionRun {
  readonly first: number;
  readonly offsets: ArrayLike<number>;
}

export class OpenSegmentIndex {
  readonly #runs = new Map<number, { readonly first: number; readonly offsets: number[] }>();

  /** Returns true for the first event of the stream in the segment. */
  add(streamNo: number, revision: number, offset: number): boolean {
    const run = this.#runs.get(streamNo);
    if (run) {
      while (run.first + run.offsets.length < revision) run.offsets.push(0);
      run.offsets.push(offset);
    } else this.#runs.set(streamNo, { first: revision, offsets: [offset] });
    return run === undefined;
  }

  run(streamNo: number): RevisionRun | undefined {
    return this.#runs.get(streamNo);
  }

  get runs(): ReadonlyMap<number, RevisionRun> {
    return this.#runs;
  }
}

const fileMark = 0x58495350;
const headerBytes = 32;

/**
 * The index of a sealed segment. The buffer `bytes` contains the index file:
 * - 32-byte header: file signature (`fileMark`), number of streams, number of events, CRC-32 and segment base
 * - each stream's first revision (f64), ordered by stream number
 * - each stream's number (u32), in the same order
 * - for each stream, where its offsets begin in the array below (u32), followed by the total number of offsets
 * - event offsets, grouped by stream (u32)
 */
export class SegmentIndex {
  readonly bytes: Buffer;
  readonly #firsts: Float64Array;
  readonly #numbers: Uint32Array;
  readonly #starts: Uint32Array;
  readonly #offsets: Uint32Array;

  private constructor(bytes: Buffer) {
    const { buffer, byteOffset } = bytes;
    const streams = bytes.readUInt32LE(4);
    const numbersAt = byteOffset + headerBytes + streams * 8;
    this.bytes = bytes;
    this.#firsts = new Float64Array(buffer, byteOffset + headerBytes, streams);
    this.#numbers = new Uint32Array(buffer, numbersAt, streams);
    this.#starts = new Uint32Array(buffer, numbersAt + streams * 4, streams + 1);
    this.#offsets = new Uint32Array(buffer, numbersAt + streams * 8 + 4, bytes.readUInt32LE(8));
  }

  static from(base: number, open: OpenSegmentIndex): SegmentIndex {
    const numbers = Uint32Array.from(open.runs.keys()).sort();
    let events = 0;
    for (const run of open.runs.values()) events += run.offsets.length;
    const bytes = Buffer.from(new ArrayBuffer(headerBytes + numbers.length * 16 + 4 + events * 4));
    bytes.writeUInt32LE(fileMark, 0);
    bytes.writeUInt32LE(numbers.length, 4);
    bytes.writeUInt32LE(events, 8);
    bytes.writeDoubleLE(base, 16);
    const index = new SegmentIndex(bytes);
    let start = 0;
    index.#numbers.set(numbers);
    for (const [at, streamNo] of numbers.entries()) {
      const run = open.runs.get(streamNo)!;
      index.#firsts[at] = run.first;
      index.#starts[at] = start;
      index.#offsets.set(run.offsets, start);
      start += run.offsets.length;
    }
    index.#starts[numbers.length] = start;
    bytes.writeUInt32LE(crc32(bytes.subarray(16)), 12);
    return index;
  }

  static read(base: number, file: Buffer): SegmentIndex | undefined {
    if (file.length < headerBytes || file.readUInt32LE(0) !== fileMark || file.readDoubleLE(16) !== base)
      return undefined;
    const expected = headerBytes + file.readUInt32LE(4) * 16 + 4 + file.readUInt32LE(8) * 4;
    if (file.length !== expected || crc32(file.subarray(16)) !== file.readUInt32LE(12)) return undefined;
    const aligned = Buffer.from(new ArrayBuffer(file.length));
    file.copy(aligned);
    return new SegmentIndex(aligned);
  }

  run(streamNo: number): RevisionRun | undefined {
    let low = 0;
    let high = this.#numbers.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.#numbers[middle]!;
      if (found === streamNo) {
        const offsets = this.#offsets.subarray(this.#starts[middle], this.#starts[middle + 1]);
        return { first: this.#firsts[middle]!, offsets };
      }
      if (found < streamNo) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
}
