import { readFile } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { replaceFile } from '../log/replace-file.ts';
import { type StreamLimits, noLimits } from './stream-limits.ts';
import { StreamTable } from './stream-table.ts';

const format = 1;

/** The stream table in columns. Derived from the log, so that it may be thrown away at any time. */
interface Columns {
  readonly format: number;
  /** Base of the first segment that is not in it. */
  readonly upTo: number;
  readonly names: string[];
  /** Number in the frames, -1 for a stream that has no event. */
  readonly numbers: Int32Array;
  readonly last: Float64Array;
  readonly tombstones: Float64Array;
  readonly limits: Map<number, StreamLimits>;
  readonly extentCounts: Uint32Array;
  readonly extents: Float64Array;
}

export interface TableSnapshot {
  readonly table: StreamTable;
  readonly upTo: number;
}

/** The table as it is now, as bytes. */
export const encodeTable = (table: StreamTable, upTo: number): Buffer => {
  // Streams of appends under way come with the frames that follow the snapshot.
  const entries = table.all().filter((one) => one.last >= 0 || one.tombstone > 0 || one.limits !== noLimits);
  const limited = entries.flatMap((entry, at) =>
    entry.isMetastream || entry.limits === noLimits ? [] : [[at, entry.limits] as const],
  );
  const columns: Columns = {
    format,
    upTo,
    names: entries.map((entry) => entry.name),
    numbers: Int32Array.from(entries, (one) => (one.last >= 0 || one.tombstone > 0 ? one.no : -1)),
    last: Float64Array.from(entries, (entry) => entry.last),
    tombstones: Float64Array.from(entries, (entry) => entry.tombstone),
    limits: new Map(limited),
    extentCounts: Uint32Array.from(entries, (entry) => entry.extents.length),
    extents: Float64Array.from(entries.flatMap((entry) => entry.extents)),
  };
  const body = serialize(columns);
  const checked = Buffer.alloc(4);
  checked.writeUInt32LE(crc32(body));
  return Buffer.concat([checked, body]);
};

export const writeTable = (path: string, bytes: Buffer): Promise<void> => replaceFile(path, bytes);

/** Undefined when another version of Node wrote it in a form that this one cannot read. */
const columnsIn = (body: Buffer): Columns | undefined => {
  try {
    return deserialize(body) as Columns;
  } catch {
    return undefined;
  }
};

/** The table in a file, or undefined when there is none that can be trusted. */
export const readTable = async (path: string): Promise<TableSnapshot | undefined> => {
  const file = await readFile(path).catch(() => Buffer.alloc(0));
  if (file.length < 8 || crc32(file.subarray(4)) !== file.readUInt32LE(0)) return undefined;
  const columns = columnsIn(file.subarray(4));
  if (columns?.format !== format) return undefined;
  const table = new StreamTable();
  let extent = 0;
  columns.names.forEach((name, at) => {
    const entry = table.obtain(name);
    if (columns.numbers[at]! >= 0) table.register(entry, columns.numbers[at]!);
    entry.last = columns.last[at]!;
    entry.tombstone = columns.tombstones[at]!;
    entry.limits = columns.limits.get(at) ?? entry.limits;
    const end = extent + columns.extentCounts[at]!;
    entry.extents = Array.from(columns.extents.subarray(extent, end));
    extent = end;
  });
  return { table, upTo: columns.upTo };
};
