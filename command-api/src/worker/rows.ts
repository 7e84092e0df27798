import { DynamicPopRecorded } from '@popsvc/contracts/events';
import type { RowError } from '@popsvc/domain/bulk';
import type { NewEvent } from '@popsvc/platform/event-store';
import { type FileRow, type FileRowBatch, UnreadableFile } from '@popsvc/platform/row-readers';
import { createIdGenerator } from '../intake/request-events.ts';
import type { LoggedJob } from './job-log.ts';

export interface RowEvent {
  readonly event: NewEvent;
  /** The size of the event's data in the event store, in bytes. */
  readonly bytes: number;
}

type Row = Readonly<Record<string, unknown>>;

/**
 * Creates a function that converts rows to events. Every attempt creates the same events: an event's id is UUIDv5(job id, row
 * number), and its time of receipt is when the job was queued.
 */
export const createRowEventFactory = ({ job, queued: { id, metadata } }: LoggedJob) => {
  const { jobId, schemaVersion, maxAgeDays } = job.queued;
  const idOf = createIdGenerator(Buffer.from(jobId.replaceAll('-', ''), 'hex'));
  const sharedData = { schemaVersion, ...(maxAgeDays !== undefined && { maxAgeDays }) };
  const frameBytes = Buffer.byteLength(JSON.stringify({ ...sharedData, event: 0, bulk: { jobId, row: 2 ** 32 } }));
  const jobMetadata: NewEvent['metadata'] = {
    schemaVersion: DynamicPopRecorded.version,
    receivedAt: metadata.receivedAt,
    network: job.network,
    vendor: job.vendor,
    ...(job.keyId !== undefined && { keyId: job.keyId }),
    correlationId: jobId,
    causationId: id,
  };
  return (row: number, event: Row): RowEvent => ({
    bytes: frameBytes + Buffer.byteLength(JSON.stringify(event)),
    event: {
      id: idOf(row),
      type: DynamicPopRecorded.type,
      data: { ...sharedData, event, bulk: { jobId, row } } satisfies DynamicPopRecorded,
      metadata: jobMetadata,
    },
  });
};

/** How far a file has been processed: the last processed row and the counts up to that row. */
export interface RowProgress {
  readonly toRow: number;
  /** The number of events in the job's row stream, and therefore the revision of the next event. */
  readonly nextRevision: number;
  readonly bytesRead: number;
  readonly processedRows: number;
  readonly errorRows: number;
}

/** The rows that one append stores. A chunk has no events if all its rows are unreadable. */
export interface RowChunk {
  readonly events: readonly NewEvent[];
  /** The stream revision of the chunk's first event. */
  readonly firstRevision: number;
  readonly errors: readonly RowError[];
  /** The progress after this chunk. */
  readonly progress: RowProgress;
  /** Why the file cannot be read any further; set in the last chunk only. */
  readonly unreadable?: string;
}

export interface RowRules {
  readonly toEvent: (row: number, event: Row) => RowEvent;
  /** Returns why the row cannot become a play; undefined if it can or if that cannot be determined yet. */
  readonly findDefect: (event: Row) => string | undefined;
}

/**
 * Limits of a chunk. Where a chunk ends depends on the content of the file, so every attempt usually produces the same chunks. The
 * byte limits are below the maximum size of an append (1 MiB), which also includes metadata and event types. A single event may
 * exceed `bytes`, up to `eventBytes`.
 */
const limits = { events: 500, bytes: 900_000, eventBytes: 1_000_000, errors: 2_000, errorBytes: 200_000 };
const metadataBytes = 640;
/** After this many bytes without a full chunk, a chunk ends early, because other jobs wait while one is read. */
const maxBytesRead = 4 * 1_048_576;
const maxErrorLength = 200;
/** Row errors beyond this number are only counted. Otherwise, the job's stream could become larger than the file. */
const maxErrorsLogged = 100_000;

const shortenError = (error: string): string =>
  error.length <= maxErrorLength
    ? error
    : `${Array.from(error)
        .slice(0, maxErrorLength - 1)
        .join('')}…`;

/**
 * Splits the rows that follow the position `from` into chunks. If the file cannot be read to its end, the last chunk states the
 * reason in `unreadable`.
 */
export async function* chunkRows(
  file: AsyncIterable<FileRowBatch>,
  from: RowProgress,
  { toEvent, findDefect }: RowRules,
): AsyncGenerator<RowChunk, void, void> {
  const progress = { ...from };
  let events: NewEvent[] = [];
  let bytes = 0;
  let errors: RowError[] = [];
  let errorCount = 0;
  let errorBytes = 0;
  let bytesReadNow = 0;
  let cutAtBytesRead = 0;

  const addError = (row: number, error: string): void => {
    if (progress.errorRows < maxErrorsLogged) {
      const rowError = { row, error: shortenError(error) };
      errors.push(rowError);
      errorBytes += Buffer.byteLength(JSON.stringify(rowError));
    }
    progress.errorRows += 1;
    errorCount += 1;
  };
  const cutChunk = (unreadable?: string): RowChunk => {
    const firstRevision = progress.nextRevision;
    progress.nextRevision += events.length;
    const chunk = {
      events,
      errors,
      firstRevision,
      progress: { ...progress },
      ...(unreadable !== undefined && { unreadable }),
    };
    events = [];
    bytes = 0;
    errors = [];
    errorCount = 0;
    errorBytes = 0;
    cutAtBytesRead = bytesReadNow;
    return chunk;
  };
  /** Adds a row to the current chunk. If the row does not fit, returns the current chunk and starts a new one with the row. */
  const addRow = (fileRow: FileRow): RowChunk | undefined => {
    const { row } = fileRow;
    if ('error' in fileRow) {
      addError(row, fileRow.error);
      return undefined;
    }
    const { event, bytes: size } = toEvent(row, fileRow.event);
    if (size > limits.eventBytes) {
      addError(row, `is longer than ${limits.eventBytes.toLocaleString('en')} bytes in the log`);
      return undefined;
    }
    const isFull = events.length === limits.events || bytes + size > limits.bytes;
    const fullChunk = isFull ? cutChunk() : undefined;
    const defect = findDefect(fileRow.event);
    if (defect === undefined) progress.processedRows += 1;
    else addError(row, defect);
    events.push(event);
    bytes += size + metadataBytes;
    return fullChunk;
  };

  try {
    for await (const { rows, bytesRead } of file) {
      bytesReadNow = bytesRead;
      progress.bytesRead = Math.max(from.bytesRead, bytesRead);
      for (const row of rows) {
        if (row.row <= from.toRow) continue;
        const fullChunk = addRow(row);
        progress.toRow = row.row;
        if (fullChunk) yield fullChunk;
        if (errorCount >= limits.errors || errorBytes >= limits.errorBytes) yield cutChunk();
      }
      // Rows that an earlier attempt stored and blank lines make no chunk.
      if (bytesRead - cutAtBytesRead >= maxBytesRead) yield cutChunk();
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield cutChunk(error.message);
    return;
  }
  yield cutChunk();
}
