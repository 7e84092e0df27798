import type { RowError } from '@popsvc/domain/bulk';
import type { NewEvent } from '@popsvc/platform/event-store';
import { type FileRow, type FileRowBatch, UnreadableFile } from '@popsvc/platform/row-readers';
import type { RowEvent } from './row-events.ts';

/** How far into the file, and what came of it so far. */
export interface Tally {
  readonly toRow: number;
  /** How many events the stream of rows holds. */
  readonly nextRevision: number;
  readonly bytesRead: number;
  readonly processedRows: number;
  readonly errorRows: number;
}

/** Rows that go into the log in one append; none when all of them are unreadable. */
export interface RowChunk {
  readonly events: readonly NewEvent[];
  /** Revision of the first of them. */
  readonly first: number;
  readonly errors: readonly RowError[];
  readonly upTo: Tally;
  /** Why the file cannot be read on; only in the last chunk. */
  readonly unreadable?: string;
}

export interface RowJudge {
  readonly toEvent: (row: number, event: Readonly<Record<string, unknown>>) => RowEvent;
  /** Why it will be no play; undefined when it will be one, or when nobody can tell yet. */
  readonly unfit: (event: Readonly<Record<string, unknown>>) => string | undefined;
}

/**
 * Cuts depend on what the rows are and on nothing else. The store's limit is 1 MiB; metadata and types count too, and a single
 * row may need more than a chunk of many.
 */
const limits = { events: 500, bytes: 900_000, eventBytes: 1_000_000, errors: 2_000, errorBytes: 200_000 };
const metadataBytes = 640;
const longestError = 200;
/** Bad rows after so many are only counted: the log should not become larger than the file. */
const mostErrorsLogged = 100_000;

const short = (error: string): string =>
  error.length <= longestError
    ? error
    : `${Array.from(error)
        .slice(0, longestError - 1)
        .join('')}…`;

/** Goes on after `from`: rows up to there are passed over. */
export async function* chunkRows(
  file: AsyncIterable<FileRowBatch>,
  from: Tally,
  { toEvent, unfit }: RowJudge,
): AsyncGenerator<RowChunk, void, void> {
  const tally = { ...from };
  let [events, errors]: [NewEvent[], RowError[]] = [[], []];
  let [bytes, bad, errorBytes] = [0, 0, 0];

  const fail = (row: number, error: string): void => {
    if (tally.errorRows < mostErrorsLogged) {
      const told = { row, error: short(error) };
      errors.push(told);
      errorBytes += Buffer.byteLength(JSON.stringify(told));
    }
    tally.errorRows += 1;
    bad += 1;
  };
  const cut = (unreadable?: string): RowChunk => {
    const first = tally.nextRevision;
    tally.nextRevision += events.length;
    const chunk = { events, errors, first, upTo: { ...tally }, ...(unreadable !== undefined && { unreadable }) };
    [events, errors] = [[], []];
    [bytes, bad, errorBytes] = [0, 0, 0];
    return chunk;
  };
  /** The chunk that is full without this row. */
  const take = (fileRow: FileRow): RowChunk | undefined => {
    const { row } = fileRow;
    if ('error' in fileRow) {
      fail(row, fileRow.error);
      return undefined;
    }
    const { event, bytes: size } = toEvent(row, fileRow.event);
    if (size > limits.eventBytes) {
      fail(row, `is longer than ${limits.eventBytes.toLocaleString('en')} bytes in the log`);
      return undefined;
    }
    const full = events.length === limits.events || bytes + size > limits.bytes ? cut() : undefined;
    const reason = unfit(fileRow.event);
    if (reason === undefined) tally.processedRows += 1;
    else fail(row, reason);
    events.push(event);
    bytes += size + metadataBytes;
    return full;
  };

  try {
    for await (const { rows, bytesRead } of file) {
      tally.bytesRead = bytesRead;
      for (const row of rows) {
        if (row.row <= from.toRow) continue;
        const full = take(row);
        tally.toRow = row.row;
        if (full) yield full;
        if (bad >= limits.errors || errorBytes >= limits.errorBytes) yield cut();
      }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield cut(error.message);
    return;
  }
  yield cut();
}
