import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  type EventDefinition,
} from '@popsvc/contracts/events';
import { foldJob, type Job, type LoggedEvent } from '@popsvc/domain/bulk';

const epochMs = Date.parse('2026-08-20T14:00:00.000Z');

/** An event of the log, a number of seconds after 14:00, of network 1 and vendor acme. */
export const logged = (
  { type, example }: Pick<EventDefinition, 'type' | 'example'>,
  data: object = {},
  afterSeconds = 0,
): LoggedEvent => {
  const recordedAtMs = epochMs + afterSeconds * 1_000;
  const receivedAt = new Date(recordedAtMs).toISOString();
  return {
    type,
    data: { ...(example as object), ...data },
    metadata: { schemaVersion: 1, receivedAt, network: 1, vendor: 'acme', keyId: 'key-1' },
    recordedAtMs,
  };
};

export const queued = (over: Partial<BulkIngestQueued> = {}) => logged(BulkIngestQueued, { sizeBytes: 900, ...over });
export const started = (attempt: number, after = 1, over: Partial<BulkIngestStarted> = {}) =>
  logged(BulkIngestStarted, { attempt, ...over }, after);

/** The progress up to a row, the number of bad rows since the start, and the bad rows since the previous event. */
export const rows = (attempt: number, toRow: number, bad: readonly number[] = [], errorRows = bad.length) =>
  logged(BulkRowsIngested, {
    attempt,
    toRow,
    nextRevision: toRow - errorRows,
    bytesRead: toRow * 10,
    processedRows: toRow - errorRows,
    errorRows,
    errors: bad.map((row) => ({ row, error: `row ${row} is bad` })),
  });

export const completed = (attempt: number, totalRows: number, errorRows = 0) =>
  logged(BulkIngestCompleted, { attempt, totalRows, processedRows: totalRows - errorRows, errorRows }, 60);
export const partly = (
  attempt: number,
  totalRows: number,
  errorRows: number,
  over: Partial<BulkIngestPartiallyCompleted> = {},
) => {
  const counts = { totalRows, processedRows: totalRows - errorRows, errorRows };
  return logged(BulkIngestPartiallyCompleted, { attempt, ...counts, ...over }, 60);
};
export const failed = (attempt: number, over: Partial<BulkIngestFailed> = {}) =>
  logged(BulkIngestFailed, { attempt, ...over }, 60);

export const jobOf = (...events: readonly LoggedEvent[]): Job => {
  const job = events.reduce<Job | undefined>(foldJob, undefined);
  if (!job) throw new Error('these events queue no job');
  return job;
};
