import { readFile } from 'node:fs/promises';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { replaceFile } from '@popsvc/platform/runtime';
import { noLimits, type StreamLimits } from './stream-limits.ts';
import { type StreamEntry, StreamTable } from './stream-table.ts';

/** A fast copy of the stream table. Appends need not wait until the copy is written to the file. */
interface TableColumns {
  /** The start of the first segment that the snapshot does not cover. */
  readonly upTo: number;
  readonly names: readonly string[];
  readonly numbers: Int32Array;
  readonly last: Float64Array;
  readonly tombstones: Float64Array;
  readonly extentCounts: Uint32Array;
  readonly extents: Float64Array;
  readonly limits: readonly (readonly [row: number, limits: StreamLimits])[];
}

const hasEvents = (entry: StreamEntry): boolean => entry.last >= 0 || entry.tombstone > 0;
const isLimited = (entry: StreamEntry): boolean => entry.limits !== noLimits && !entry.isMetastream;

export const captureColumns = (table: StreamTable, upTo: number): TableColumns => {
  // The events of the omitted streams will be in segments that the snapshot does not cover.
  const entries = table.all().filter((entry) => hasEvents(entry) || isLimited(entry));
  const extents = new Float64Array(entries.reduce((sum, entry) => sum + entry.extents.length, 0));
  const columns: TableColumns = {
    upTo,
    names: entries.map((entry) => entry.name),
    numbers: new Int32Array(entries.length),
    last: new Float64Array(entries.length),
    tombstones: new Float64Array(entries.length),
    extentCounts: new Uint32Array(entries.length),
    extents,
    limits: entries.flatMap((entry, row) => (isLimited(entry) ? [[row, entry.limits] as const] : [])),
  };
  let end = 0;
  for (const [row, entry] of entries.entries()) {
    columns.numbers[row] = hasEvents(entry) ? entry.streamNo : -1;
    columns.last[row] = entry.last;
    columns.tombstones[row] = entry.tombstone;
    columns.extentCounts[row] = entry.extents.length;
    extents.set(entry.extents, end);
    end += entry.extents.length;
  }
  return columns;
};

export const restoreTable = (columns: TableColumns): StreamTable => {
  const table = new StreamTable();
  let start = 0;
  for (const [row, name] of columns.names.entries()) {
    const entry = table.findOrCreate(name);
    const end = start + columns.extentCounts[row]!;
    entry.last = columns.last[row]!;
    entry.tombstone = columns.tombstones[row]!;
    entry.extents = Array.from(columns.extents.subarray(start, end));
    start = end;
    if (columns.numbers[row]! >= 0) table.register(entry, columns.numbers[row]!);
  }
  for (const [row, limits] of columns.limits) table.findOrCreate(columns.names[row]!).limits = limits;
  return table;
};

const fileMark = 0x54535351;
const headerBytes = 32;
/** Between two slices of stream names, the event loop can do other work. */
const sliceNames = 5000;

const toBuffer = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

async function* encodeSlices(columns: TableColumns): AsyncGenerator<Buffer> {
  const { names, extents, limits } = columns;
  const limitsText = Buffer.from(JSON.stringify(limits));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(fileMark, 0);
  header.writeUInt32LE(names.length, 4);
  header.writeUInt32LE(extents.length, 8);
  header.writeUInt32LE(limitsText.length, 12);
  header.writeDoubleLE(columns.upTo, 16);
  yield header;
  for (const column of [columns.last, columns.tombstones, extents, columns.numbers, columns.extentCounts]) {
    yield toBuffer(column);
  }
  yield limitsText;
  for (let from = 0; from < names.length; from += sliceNames) {
    await nextIteration();
    const slice = names.slice(from, from + sliceNames);
    yield toBuffer(Uint32Array.from(slice, (name) => Buffer.byteLength(name)));
    yield Buffer.from(slice.join(''));
  }
}

async function* withChecksum(slices: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const slice of slices) {
    sum = crc32(slice, sum);
    yield slice;
  }
  const trailer = Buffer.alloc(4);
  trailer.writeUInt32LE(sum);
  yield trailer;
}

export const writeTableSnapshot = (path: string, columns: TableColumns): Promise<void> =>
  replaceFile(path, withChecksum(encodeSlices(columns)));

const decodeNames = (file: Buffer, start: number, count: number): string[] => {
  const names: string[] = [];
  for (let at = start; names.length < count;) {
    const inSlice = Math.min(sliceNames, count - names.length);
    let from = at + inSlice * 4;
    for (let n = 0; n < inSlice; n += 1) {
      const to = from + file.readUInt32LE(at + n * 4);
      names.push(file.toString('utf8', from, to));
      from = to;
    }
    at = from;
  }
  return names;
};

export const readTableSnapshot = async (path: string): Promise<TableColumns | undefined> => {
  const file = await readFile(path).catch(() => Buffer.alloc(0));
  if (file.length < headerBytes + 4 || file.readUInt32LE(0) !== fileMark) return undefined;
  if (crc32(file.subarray(0, -4)) !== file.readUInt32LE(file.length - 4)) return undefined;
  const rows = file.readUInt32LE(4);
  let at = headerBytes;
  const take = (bytes: number): ArrayBuffer => {
    const column = new Uint8Array(file.subarray(at, at + bytes)).buffer;
    at += bytes;
    return column;
  };
  const last = new Float64Array(take(rows * 8));
  const tombstones = new Float64Array(take(rows * 8));
  const extents = new Float64Array(take(file.readUInt32LE(8) * 8));
  const numbers = new Int32Array(take(rows * 4));
  const extentCounts = new Uint32Array(take(rows * 4));
  const limitsText = Buffer.from(take(file.readUInt32LE(12))).toString('utf8');
  const written = JSON.parse(limitsText) as [number, Partial<StreamLimits>][];
  const limits = written.map(([row, some]) => [row, { ...noLimits, ...some }] as const);
  return {
    upTo: file.readDoubleLE(16),
    names: decodeNames(file, at, rows),
    numbers,
    last,
    tombstones,
    extentCounts,
    extents,
    limits,
  };
};
