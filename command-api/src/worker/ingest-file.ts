import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkRowsIngested,
} from '@popsvc/contracts/events';
import type { MultiLineRows, RowError } from '@popsvc/domain/bulk';
import { EventStoreRejected } from '@popsvc/platform/event-store';
import type { EndTurn } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { createInterruptedEvent, createJobEvent, type JobEvent, type JobLog } from './job-log.ts';
import type { AppendRows } from './row-appender.ts';
import type { RowChunk, RowProgress } from './rows.ts';

export interface IngestRun {
  readonly chunks: AsyncIterable<RowChunk>;
  readonly from: RowProgress;
  /** The caller must call the returned function to end the turn, also if no chunk is read. */
  readonly takeTurn: () => Promise<EndTurn>;
  readonly appendRows: AppendRows;
  readonly jobLog: JobLog;
  readonly attemptKey: { readonly jobId: string; readonly attempt: number };
  /** If this returns true, the run ends before the next chunk, after all progress is recorded. */
  readonly isStopping: () => boolean;
  readonly countRows: (good: number, bad: number) => void;
  /** Called after the last row. Returns what is wrong with the file as a whole. */
  readonly findFault: () => string | undefined;
  /** Called after the last row. Returns the rows with a quoted field over several lines. */
  readonly findMultiLineRows: () => MultiLineRows | undefined;
  readonly log: Log;
}

/** Applies to each job, and to all jobs of a process together. */
export const maxConcurrentAppends = 3;
const progressIntervalMs = 1_000;
const progressErrorCount = 2_000;
/** The event store accepts 1 MiB per append, and one row error may have about 1 kB. */
const maxErrorBytes = 400_000;
const measureErrors = (errors: readonly RowError[]): number =>
  errors.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(errors));

/** Resolves with false if the run is stopped before the end of the file. */
export const ingestFile = async (run: IngestRun): Promise<boolean> => {
  const { chunks, from, takeTurn, appendRows, jobLog, attemptKey, isStopping } = run;
  const pendingAppends: { readonly chunk: RowChunk; readonly done: Promise<void> }[] = [];
  let durable = from;
  let unrecordedErrors: RowError[] = [];
  let unrecordedErrorBytes = 0;
  let recordedAtMs = performance.now();
  let recordedRow = from.toRow;

  const finishOldestAppend = async (): Promise<void> => {
    const { chunk, done } = pendingAppends.shift()!;
    await done;
    const errorBytes = measureErrors(chunk.errors);
    if (unrecordedErrorBytes + errorBytes > maxErrorBytes) await jobLog.append(...takeProgressEvents());
    unrecordedErrorBytes += errorBytes;
    run.countRows(chunk.progress.processedRows - durable.processedRows, chunk.progress.errorRows - durable.errorRows);
    durable = chunk.progress;
    unrecordedErrors.push(...chunk.errors);
  };
  const takeProgressEvents = (): readonly JobEvent[] => {
    if (durable.toRow === recordedRow) return [];
    const errors = unrecordedErrors;
    unrecordedErrors = [];
    unrecordedErrorBytes = 0;
    recordedAtMs = performance.now();
    recordedRow = durable.toRow;
    return [createJobEvent(BulkRowsIngested, { ...attemptKey, ...durable, errors })];
  };
  const isProgressDue = (): boolean =>
    unrecordedErrors.length >= progressErrorCount || performance.now() - recordedAtMs >= progressIntervalMs;

  let unreadable: string | undefined;
  const startNextAppend = async (rows: AsyncIterator<RowChunk>): Promise<'more' | 'end' | 'stopped'> => {
    const endTurn = await takeTurn();
    let done: Promise<void> | undefined;
    try {
      if (isStopping()) return 'stopped';
      const next = await rows.next();
      if (next.done === true) return 'end';
      ({ unreadable } = next.value);
      done = appendRows(next.value);
      pendingAppends.push({ chunk: next.value, done });
      return 'more';
    } finally {
      if (done) void done.then(endTurn, endTurn);
      else endTurn();
    }
  };
  const readAndAppend = async (): Promise<boolean> => {
    const rows = chunks[Symbol.asyncIterator]();
    let next: Awaited<ReturnType<typeof startNextAppend>>;
    try {
      next = await startNextAppend(rows);
      while (next === 'more') {
        if (pendingAppends.length >= maxConcurrentAppends) await finishOldestAppend();
        if (isProgressDue()) await jobLog.append(...takeProgressEvents());
        next = await startNextAppend(rows);
      }
    } finally {
      await rows.return?.();
    }
    while (pendingAppends.length > 0) await finishOldestAppend();
    // `isStopping` may return another value by now: a lease that seemed lost can be renewed late.
    return next === 'end';
  };

  try {
    const isFinished = await readAndAppend();
    const progressEvents = takeProgressEvents();
    if (isFinished) await jobLog.append(...progressEvents, createEndEvent(run, durable, unreadable));
    else if (progressEvents.length > 0) await jobLog.append(...progressEvents);
    return isFinished;
  } catch (err) {
    if (!(err instanceof EventStoreRejected)) throw err;
    run.log.error({ err, ...attemptKey, row: durable.toRow + 1 }, 'event store rejected rows; job ended');
    await jobLog.append(...takeProgressEvents(), createRejectedEvent(run, durable, err));
    return true;
  }
};

const createEndEvent = (
  { attemptKey, findFault, findMultiLineRows }: IngestRun,
  { processedRows, errorRows }: RowProgress,
  unreadable: string | undefined,
): JobEvent => {
  const multiLineRows = findMultiLineRows();
  const counts = { processedRows, errorRows, ...(multiLineRows && { multiLineRows }) };
  const reason = unreadable ?? findFault();
  if (reason !== undefined) return createInterruptedEvent(attemptKey, counts, reason);
  const totals = { ...attemptKey, ...counts, totalRows: processedRows + errorRows };
  if (processedRows === 0) {
    const why = totals.totalRows === 0 ? 'The file has no rows.' : 'No row of the file is good.';
    return createJobEvent(BulkIngestFailed, { ...totals, reason: why });
  }
  return errorRows === 0
    ? createJobEvent(BulkIngestCompleted, totals)
    : createJobEvent(BulkIngestPartiallyCompleted, totals);
};

const createRejectedEvent = (
  { attemptKey }: IngestRun,
  { toRow, processedRows, errorRows }: RowProgress,
  { reason: why }: EventStoreRejected,
): JobEvent => {
  const because = why === 'too-large' ? 'they are too large for one append' : 'the event store rejects them';
  const reason = `The rows after row ${toRow} cannot be stored: ${because}.`;
  return createInterruptedEvent(attemptKey, { processedRows, errorRows }, reason);
};
