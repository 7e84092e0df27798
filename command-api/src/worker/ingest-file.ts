import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkRowsIngested,
} from '@popsvc/contracts/events';
import type { RowError } from '@popsvc/domain/bulk';
import { EventStoreRejected } from '@popsvc/platform/event-store';
import type { Log } from '@popsvc/platform/telemetry';
import type { AppendRows } from './append-rows.ts';
import type { RowChunk, Tally } from './chunk-rows.ts';
import { type JobLog, type Told, told } from './job-log.ts';

export interface Ingest {
  readonly chunks: AsyncIterable<RowChunk>;
  readonly from: Tally;
  readonly append: AppendRows;
  readonly jobLog: JobLog;
  readonly named: { readonly jobId: string; readonly attempt: number };
  /** Asked after each chunk: to stop before the end, with everything told that is done. */
  readonly isStopping: () => boolean;
  /** Rows that are dealt with. */
  readonly count: (good: number, bad: number) => void;
  /** What is wrong with the file as a whole, asked when all of it was read. */
  readonly fault: () => string | undefined;
  readonly log: Log;
}

/** So many appends are under way while the next rows are read. */
const appendsAtOnce = 3;
const tellEveryMs = 1_000;
const tellEveryErrors = 2_000;
/** Of bad rows in one event: an append takes 1 MiB, and what is told of a row may be a kilobyte. */
const mostErrorBytes = 400_000;
const bytesOf = (errors: readonly RowError[]): number =>
  errors.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(errors));

const endOf = ({ named, fault }: Ingest, tally: Tally, unreadable: string | undefined): Told => {
  const { processedRows, errorRows } = tally;
  const ended = { ...named, totalRows: processedRows + errorRows, processedRows, errorRows };
  if (unreadable !== undefined) return told(BulkIngestFailed, { ...ended, totalRows: null, reason: unreadable });
  const reason = fault() ?? (ended.totalRows === 0 ? 'The file has no rows.' : 'No row of the file is good.');
  if (fault() !== undefined || processedRows === 0) return told(BulkIngestFailed, { ...ended, reason });
  return errorRows === 0 ? told(BulkIngestCompleted, ended) : told(BulkIngestPartiallyCompleted, ended);
};

/** The log will never take what comes after the rows that are in it. */
const refusedEnd = (
  { named }: Ingest,
  { toRow, processedRows, errorRows }: Tally,
  refusal: EventStoreRejected,
): Told => {
  const because = refusal.reason === 'too-large' ? 'they are more than it takes at a time' : 'it refuses them';
  const reason = `What comes after row ${toRow} cannot be put into the log: ${because}.`;
  return told(BulkIngestFailed, { ...named, totalRows: null, processedRows, errorRows, reason });
};

/** Brings the rows into the log and tells the job how far it is. False: it was stopped on the way. */
export const ingestFile = async (ingest: Ingest): Promise<boolean> => {
  const { chunks, from, append, jobLog, named, isStopping } = ingest;
  const underWay: { readonly chunk: RowChunk; readonly done: Promise<void> }[] = [];
  let durable = from;
  let untold: RowError[] = [];
  let untoldBytes = 0;
  let toldAt = performance.now();
  let toldRow = from.toRow;

  const settle = async (): Promise<void> => {
    const { chunk, done } = underWay.shift()!;
    await done;
    const bytes = bytesOf(chunk.errors);
    if (untoldBytes + bytes > mostErrorBytes) await jobLog.tell(...progress());
    untoldBytes += bytes;
    ingest.count(chunk.upTo.processedRows - durable.processedRows, chunk.upTo.errorRows - durable.errorRows);
    durable = chunk.upTo;
    untold.push(...chunk.errors);
  };
  const progress = (): readonly Told[] => {
    if (durable.toRow === toldRow) return [];
    const errors = untold;
    [untold, untoldBytes] = [[], 0];
    [toldAt, toldRow] = [performance.now(), durable.toRow];
    return [told(BulkRowsIngested, { ...named, ...durable, errors })];
  };
  const isDue = (): boolean => untold.length >= tellEveryErrors || performance.now() - toldAt >= tellEveryMs;

  let unreadable: string | undefined;
  const readAndAppend = async (): Promise<boolean> => {
    for await (const chunk of chunks) {
      ({ unreadable } = chunk);
      underWay.push({ chunk, done: append(chunk) });
      if (underWay.length >= appendsAtOnce) await settle();
      if (isDue()) await jobLog.tell(...progress());
      if (isStopping()) break;
    }
    const stopped = isStopping();
    while (underWay.length > 0) await settle();
    return !stopped;
  };

  try {
    const finished = await readAndAppend();
    const last = progress();
    if (finished) await jobLog.tell(...last, endOf(ingest, durable, unreadable));
    else if (last.length > 0) await jobLog.tell(...last);
    return finished;
  } catch (err) {
    if (!(err instanceof EventStoreRejected)) throw err;
    ingest.log.error({ err, ...named, row: durable.toRow + 1 }, 'the event store refuses rows of a job for good');
    await jobLog.tell(...progress(), refusedEnd(ingest, durable, err));
    return true;
  }
};
