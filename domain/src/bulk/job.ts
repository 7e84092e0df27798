import type { BulkJob, BulkJobWarning, CsvDelimiter } from '@popsvc/contracts/bulk';
import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
} from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { IllegalTransitionError, type LoggedEvent, ownerOf } from './logged-event.ts';

export type JobStatus = 'queued' | 'processing' | 'completed' | 'partially_completed' | 'failed';
export type RowError = BulkRowsIngested['errors'][number];
export type MultiLineRows = NonNullable<BulkIngestCompleted['multiLineRows']>;

export interface Job {
  readonly queued: BulkIngestQueued;
  readonly network: number;
  readonly vendor: string;
  readonly keyId: string | undefined;
  readonly status: JobStatus;
  /** When the first attempt began, or when the job was queued if no attempt has begun. */
  readonly startedAtMs: number;
  readonly completedAtMs: number | undefined;
  /** Number of the latest attempt; 0 before the first. */
  readonly attempt: number;
  /** Version that all attempts use. Null: there was no readable mapping at the first attempt. Undefined: no attempt has begun. */
  readonly mappingVersion: number | null | undefined;
  /** SHA-256 of the file at the first attempt; empty if there was no file, undefined before the first attempt. */
  readonly sha256: string | undefined;
  /** Number of the last processed row, from 1; 0 before any row is processed. */
  readonly toRow: number;
  /** Revision of the next event in the stream of the job's rows. */
  readonly nextRevision: number;
  readonly bytesRead: number;
  readonly processedRows: number;
  readonly errorRows: number;
  /** The first failed rows, at most `maxReportedErrors`. */
  readonly errors: readonly RowError[];
  /** Undefined until the job ends, and if the job failed before the end of its file. */
  readonly totalRows: number | undefined;
  /** Why the job failed, or why its file was not read to its end. */
  readonly reason: string | undefined;
  /** CSV rows in which a quoted field spans several lines. */
  readonly multiLineRows: MultiLineRows | undefined;
}

const maxReportedErrors = 1_000;

export const hasEnded = ({ status }: Pick<Job, 'status'>): boolean => status !== 'queued' && status !== 'processing';

export const jobEndTypes: readonly string[] = [
  BulkIngestCompleted.type,
  BulkIngestPartiallyCompleted.type,
  BulkIngestFailed.type,
];

const must = (legal: boolean, why: string): void => {
  if (!legal) throw new IllegalTransitionError(why);
};

const begin = (queued: BulkIngestQueued, { metadata, recordedAtMs }: LoggedEvent): Job => ({
  queued,
  ...ownerOf(metadata),
  status: 'queued',
  startedAtMs: recordedAtMs,
  completedAtMs: undefined,
  attempt: 0,
  mappingVersion: undefined,
  sha256: undefined,
  toRow: 0,
  nextRevision: 0,
  bytesRead: 0,
  processedRows: 0,
  errorRows: 0,
  errors: [],
  totalRows: undefined,
  reason: undefined,
  multiLineRows: undefined,
});

const start = (job: Job, { attempt, mappingVersion, sha256 }: BulkIngestStarted, atMs: number): Job => {
  must(!hasEnded(job), `cannot start a job that is ${job.status}`);
  must(attempt === job.attempt + 1, `attempt ${attempt} does not follow attempt ${job.attempt}`);
  if (job.status === 'processing') return { ...job, attempt };
  return { ...job, status: 'processing', attempt, mappingVersion, sha256, startedAtMs: atMs };
};

const atWork = (job: Job, attempt: number): void => {
  must(job.status === 'processing', `no attempt can be running: the job is ${job.status}`);
  must(attempt === job.attempt, `attempt ${attempt} was superseded by attempt ${job.attempt}`);
};

const takeRows = (job: Job, rows: BulkRowsIngested): Job => {
  const { attempt, toRow, nextRevision, bytesRead, processedRows, errorRows, errors } = rows;
  atWork(job, attempt);
  must(toRow >= job.toRow && nextRevision >= job.nextRevision, `row ${toRow} was already processed`);
  must(processedRows >= job.processedRows && errorRows >= job.errorRows, 'the counts of rows are lower than before');
  must(processedRows + errorRows === toRow, `${processedRows} good and ${errorRows} bad rows are not ${toRow}`);
  const reported = [...job.errors, ...errors.slice(0, maxReportedErrors - job.errors.length)];
  return { ...job, toRow, nextRevision, bytesRead, processedRows, errorRows, errors: reported };
};

type Ended = BulkIngestCompleted | BulkIngestPartiallyCompleted | BulkIngestFailed;

const end = (job: Job, status: Job['status'], ended: Ended, atMs: number): Job => {
  const { attempt, processedRows, errorRows, multiLineRows } = ended;
  const totalRows = ended.totalRows ?? undefined;
  atWork(job, attempt);
  if (totalRows !== undefined)
    must(
      processedRows + errorRows === totalRows,
      `${processedRows} good and ${errorRows} bad rows are not ${totalRows}`,
    );
  return { ...job, status, processedRows, errorRows, totalRows, multiLineRows, completedAtMs: atMs };
};

const complete = (job: Job, ended: BulkIngestCompleted, atMs: number): Job => {
  must(ended.errorRows === 0, 'a job with bad rows is not completed');
  return { ...end(job, 'completed', ended, atMs), bytesRead: job.queued.sizeBytes };
};

const completeInPart = (job: Job, ended: BulkIngestPartiallyCompleted, atMs: number): Job => {
  const { processedRows, errorRows, reason } = ended;
  must(processedRows > 0, 'a job without good rows is not partially completed');
  must(errorRows > 0 || reason !== undefined, 'the job has no bad rows and its file was read to its end');
  return {
    ...end(job, 'partially_completed', ended, atMs),
    reason,
    bytesRead: reason === undefined ? job.queued.sizeBytes : job.bytesRead,
  };
};

const giveUp = (job: Job, ended: BulkIngestFailed, atMs: number): Job => ({
  ...end(job, 'failed', ended, atMs),
  reason: ended.reason,
});

const known = (job: Job | undefined, { type }: LoggedEvent): Job => {
  if (!job) throw new IllegalTransitionError(`${type} is not allowed before the job is queued`);
  return job;
};

/**
 * Ignores unknown event types. Throws IllegalTransitionError for an event that the state of the job does not allow, and another error for
 * data that cannot be read.
 */
export const foldJob = (job: Job | undefined, event: LoggedEvent): Job | undefined => {
  const { type, data, metadata, recordedAtMs: atMs } = event;
  const version = metadata.schemaVersion;
  switch (type) {
    case BulkIngestQueued.type:
      must(job === undefined, 'a job is queued once');
      return begin(BulkIngestQueued.read(data, version), event);
    case BulkIngestStarted.type:
      return start(known(job, event), BulkIngestStarted.read(data, version), atMs);
    case BulkRowsIngested.type:
      return takeRows(known(job, event), BulkRowsIngested.read(data, version));
    case BulkIngestCompleted.type:
      return complete(known(job, event), BulkIngestCompleted.read(data, version), atMs);
    case BulkIngestPartiallyCompleted.type:
      return completeInPart(known(job, event), BulkIngestPartiallyCompleted.read(data, version), atMs);
    case BulkIngestFailed.type:
      return giveUp(known(job, event), BulkIngestFailed.read(data, version), atMs);
    default:
      return job;
  }
};

export const delimiterOf = ({ format, delimiter }: BulkIngestQueued): CsvDelimiter | undefined =>
  format === 'csv' ? (delimiter ?? ',') : undefined;

/** Counts rows that the job accepted while its vendor had no mapping for the schema version. */
export const countUnmappedRows = ({ mappingVersion, processedRows }: Job): number =>
  mappingVersion === null ? processedRows : 0;

type RowCounts = Pick<BulkJob, 'processedRows' | 'errorRows'>;

/** `tooOld`: rows that exceeded the age limit when they were received, by the time that the mapping read. */
export interface QuarantinedRowCounts {
  readonly all: number;
  readonly tooOld: number;
}

/**
 * `reason`: why the job failed, or why its file was not read to its end. `message` also says if all rows of an ended job are in quarantine.
 */
export const describeQuarantinedRows = (
  { status, processedRows, errorRows }: RowCounts & { readonly status: JobStatus },
  { all, tooOld }: QuarantinedRowCounts,
  reason: string | undefined,
): Pick<BulkJob, 'quarantinedRows' | 'message'> => {
  const areAllQuarantined = all > 0 && hasEnded({ status }) && all >= processedRows + errorRows;
  const message = [reason, areAllQuarantined ? describeAllQuarantined(all, tooOld) : undefined]
    .filter((each) => each !== undefined)
    .join(' ');
  return { ...(all > 0 && { quarantinedRows: all }), ...(message !== '' && { message }) };
};

const describeAllQuarantined = (all: number, tooOld: number): string =>
  [
    'All rows are in quarantine, because no mapping has converted them to plays.',
    ...(tooOld > 0
      ? [
          `${tooOld} of ${all} exceeded the age limit when they were received (too_old): only a mapping that reads another time can convert them.`,
        ]
      : []),
    ...(tooOld < all
      ? [
          `${tooOld > 0 ? 'The others' : 'They'} become plays as soon as a mapping fits; do not send them again unchanged.`,
        ]
      : []),
    'GET /popsvc/v1/pop/quarantine lists the reasons.',
  ].join(' ');

/** A stray quote may have joined several rows into a row that spans several lines. */
export const toJobWarnings = ({ multiLineRows }: Pick<Job, 'multiLineRows'>): readonly BulkJobWarning[] =>
  (multiLineRows?.first ?? []).map(({ row, fromLine, toLine }) => ({
    row,
    code: 'MULTI_LINE_ROW',
    message:
      `A quoted field makes lines ${fromLine} to ${toLine} of the file one row. ` +
      'If these lines are several rows, remove the stray quotes.',
  }));

export const toBulkJobResponse = (job: Job, quarantined: QuarantinedRowCounts = { all: 0, tooOld: 0 }): BulkJob => {
  const { queued, status, totalRows, processedRows, errorRows, errors, bytesRead, reason } = job;
  const delimiter = delimiterOf(queued);
  const warnings = toJobWarnings(job);
  return {
    jobId: queued.jobId,
    status,
    ...(totalRows !== undefined && { totalRows }),
    processedRows,
    errorRows,
    errors,
    startedAt: instantOf(job.startedAtMs),
    completedAt: job.completedAtMs === undefined ? null : instantOf(job.completedAtMs),
    bytesRead: Math.min(bytesRead, queued.sizeBytes),
    sizeBytes: queued.sizeBytes,
    ...(delimiter && { delimiter }),
    ...(warnings.length > 0 && { warnings, warningCount: job.multiLineRows!.count }),
    ...describeQuarantinedRows(job, quarantined, reason),
  };
};
