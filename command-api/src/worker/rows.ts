import { DynamicPlaysRecorded, maxEventItems } from '@popsvc/contracts/events';
import type { RowError } from '@popsvc/domain/bulk';
import type { NewEvent } from '@popsvc/platform/event-store';
import { type FileRow, type FileRowBatch, UnreadableFile } from '@popsvc/platform/row-readers';
import { createIdGenerator, maxEventItemBytes, measureItem } from '../intake/request-events.ts';
import type { LoggedJob } from './job-log.ts';

type Row = Readonly<Record<string, unknown>>;

interface EventRow {
  readonly row: number;
  readonly event: Row;
}

/**
 * Every attempt builds the same event from the same rows: the id is UUIDv5 of the job and the row numbers, and the receipt time is that of
 * the job.
 */
export const createRowsEventFactory = ({ job, queued: { id, metadata } }: LoggedJob) => {
  const { jobId, schemaVersion, maxAgeDays } = job.queued;
  const idOf = createIdGenerator(Buffer.from(jobId.replaceAll('-', ''), 'hex'));
  const sharedData = { schemaVersion, ...(maxAgeDays !== undefined && { maxAgeDays }) };
  const jobMetadata: NewEvent['metadata'] = {
    schemaVersion: DynamicPlaysRecorded.version,
    receivedAt: metadata.receivedAt,
    network: job.network,
    vendor: job.vendor,
    ...(job.keyId !== undefined && { keyId: job.keyId }),
    correlationId: jobId,
    causationId: id,
  };
  return (rows: readonly EventRow[]): NewEvent => ({
    id: idOf(`${rows[0]!.row}-${rows.at(-1)!.row}`),
    type: DynamicPlaysRecorded.type,
    data: {
      ...sharedData,
      items: rows.map(({ event }) => event),
      bulk: { jobId, rows: rows.map(({ row }) => row) },
    } satisfies DynamicPlaysRecorded,
    metadata: jobMetadata,
  });
};

export interface RowProgress {
  readonly toRow: number;
  /** Revision of the next event in the job's row stream. */
  readonly nextRevision: number;
  readonly bytesRead: number;
  readonly processedRows: number;
  readonly errorRows: number;
}

export interface RowChunk {
  readonly event: NewEvent | undefined;
  readonly revision: number;
  readonly errors: readonly RowError[];
  readonly progress: RowProgress;
  /** Why the file cannot be read to its end; only in the last chunk. */
  readonly unreadable?: string;
}

export interface RowRules {
  readonly toEvent: (rows: readonly EventRow[]) => NewEvent;
  /** Returns why a row cannot become a play; undefined if it can, or without a mapping. */
  readonly findDefect: (event: Row) => string | undefined;
  /** Last rows of events that an earlier attempt stored. Chunks end at these rows, so that the attempt builds the same events again. */
  readonly storedEnds: readonly number[];
}

/** Which rows have errors depends on the registry, so another attempt may end chunks elsewhere, except at `storedEnds`. */
const limits = { rows: maxEventItems, bytes: maxEventItemBytes, errors: 2_000, errorBytes: 200_000 };
/** After this many bytes without a full chunk, the job gives up its turn. */
const maxBytesRead = 4 * 1_048_576;
const maxErrorLength = 200;
/** Further errors are only counted, because the job's stream could become larger than the file. */
const maxErrorsLogged = 100_000;

const shortenError = (error: string): string =>
  error.length <= maxErrorLength
    ? error
    : `${Array.from(error)
        .slice(0, maxErrorLength - 1)
        .join('')}…`;

export async function* chunkRows(
  file: AsyncIterable<FileRowBatch>,
  from: RowProgress,
  { toEvent, findDefect, storedEnds }: RowRules,
): AsyncGenerator<RowChunk, void, void> {
  const progress = { ...from };
  const ends = [...storedEnds];
  let eventRows: EventRow[] = [];
  let bytes = 0;
  let errors: RowError[] = [];
  let errorCount = 0;
  let errorBytes = 0;
  let bytesReadNow = 0;
  let cutAtBytesRead = 0;
  let lastCut = from;

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
    const revision = progress.nextRevision;
    const event = eventRows.length > 0 ? toEvent(eventRows) : undefined;
    if (event) progress.nextRevision += 1;
    const chunk = {
      event,
      revision,
      errors,
      progress: { ...progress },
      ...(unreadable !== undefined && { unreadable }),
    };
    eventRows = [];
    bytes = 0;
    errors = [];
    errorCount = 0;
    errorBytes = 0;
    cutAtBytesRead = bytesReadNow;
    lastCut = chunk.progress;
    return chunk;
  };
  const pauseChunk = (): RowChunk => {
    cutAtBytesRead = bytesReadNow;
    const { bytesRead } = progress;
    return { event: undefined, revision: lastCut.nextRevision, errors: [], progress: { ...lastCut, bytesRead } };
  };
  /** Returns the current chunk if the row does not fit. */
  const addRow = (fileRow: FileRow): RowChunk | undefined => {
    const { row } = fileRow;
    if ('error' in fileRow) {
      addError(row, fileRow.error);
      return undefined;
    }
    const { event } = fileRow;
    const size = measureItem(event);
    if (size > limits.bytes) {
      addError(row, `is longer than ${limits.bytes.toLocaleString('en')} bytes in the log`);
      return undefined;
    }
    const isFull = ends.length === 0 && (eventRows.length === limits.rows || bytes + size > limits.bytes);
    const fullChunk = isFull ? cutChunk() : undefined;
    const defect = findDefect(event);
    if (defect === undefined) progress.processedRows += 1;
    else addError(row, defect);
    eventRows.push({ row, event });
    bytes += size;
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
        if (ends.length > 0) {
          if (row.row < ends[0]!) continue;
          ends.shift();
          yield cutChunk();
        } else if (errorCount >= limits.errors || errorBytes >= limits.errorBytes) yield cutChunk();
      }
      if (bytesRead - cutAtBytesRead >= maxBytesRead) yield pauseChunk();
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    yield cutChunk(error.message);
    return;
  }
  yield cutChunk();
}
