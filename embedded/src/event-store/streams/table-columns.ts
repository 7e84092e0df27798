import { type StreamEntry } from './stream-entry.ts';
import { type StreamLimits, noLimits } from './stream-limits.ts';
import { StreamTable } from './stream-table.ts';

/** The table of streams at one moment, in columns: quickly taken, and written at leisure while appends go on. */
export interface TableColumns {
  /** Base of the first segment that is not in it. */
  readonly upTo: number;
  readonly names: readonly string[];
  /** Number in the frames, -1 for a stream that has only metadata. */
  readonly numbers: Int32Array;
  readonly last: Float64Array;
  readonly tombstones: Float64Array;
  readonly extentCounts: Uint32Array;
  readonly extents: Float64Array;
  /** Row and limits of the few streams that have some. */
  readonly limits: readonly (readonly [row: number, limits: StreamLimits])[];
}

const hasEvents = (entry: StreamEntry): boolean => entry.last >= 0 || entry.tombstone > 0;
const isLimited = (entry: StreamEntry): boolean => entry.limits !== noLimits && !entry.isMetastream;

export const takeColumns = (table: StreamTable, upTo: number): TableColumns => {
  // Streams of appends under way come with the frames that follow.
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
    columns.numbers[row] = hasEvents(entry) ? entry.no : -1;
    columns.last[row] = entry.last;
    columns.tombstones[row] = entry.tombstone;
    columns.extentCounts[row] = entry.extents.length;
    extents.set(entry.extents, end);
    end += entry.extents.length;
  }
  return columns;
};

export const tableFrom = (columns: TableColumns): StreamTable => {
  const table = new StreamTable();
  let start = 0;
  for (const [row, name] of columns.names.entries()) {
    const entry = table.obtain(name);
    const end = start + columns.extentCounts[row]!;
    entry.last = columns.last[row]!;
    entry.tombstone = columns.tombstones[row]!;
    entry.extents = Array.from(columns.extents.subarray(start, end));
    start = end;
    if (columns.numbers[row]! >= 0) table.register(entry, columns.numbers[row]!);
  }
  for (const [row, limits] of columns.limits) table.obtain(columns.names[row]!).limits = limits;
  return table;
};
