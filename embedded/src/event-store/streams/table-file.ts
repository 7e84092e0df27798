import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../log/replace-file.ts';
import { type StreamLimits, noLimits } from './stream-limits.ts';
import { type TableColumns } from './table-columns.ts';

const mark = 0x54535350;
const headerBytes = 32;
/** Names encoded before others get a turn. */
const sliceNames = 5000;

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);

async function* slicesOf(columns: TableColumns): AsyncGenerator<Buffer> {
  const { names, extents, limits } = columns;
  const limitsText = Buffer.from(JSON.stringify(limits));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(mark, 0);
  header.writeUInt32LE(names.length, 4);
  header.writeUInt32LE(extents.length, 8);
  header.writeUInt32LE(limitsText.length, 12);
  header.writeDoubleLE(columns.upTo, 16);
  yield header;
  for (const column of [columns.last, columns.tombstones, extents, columns.numbers, columns.extentCounts]) {
    yield bytesOf(column);
  }
  yield limitsText;
  for (let from = 0; from < names.length; from += sliceNames) {
    await nextTurn();
    const slice = names.slice(from, from + sliceNames);
    yield bytesOf(Uint32Array.from(slice, (name) => Buffer.byteLength(name)));
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

export const writeTable = (path: string, columns: TableColumns): Promise<void> =>
  replaceFile(path, withChecksum(slicesOf(columns)));

const namesIn = (file: Buffer, start: number, count: number): string[] => {
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

/** The columns in a file, or undefined when there is none that can be trusted: then the log is read from its start. */
export const readTable = async (path: string): Promise<TableColumns | undefined> => {
  const file = await readFile(path).catch(() => Buffer.alloc(0));
  if (file.length < headerBytes + 4 || file.readUInt32LE(0) !== mark) return undefined;
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
    names: namesIn(file, at, rows),
    numbers,
    last,
    tombstones,
    extentCounts,
    extents,
    limits,
  };
};
