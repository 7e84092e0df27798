import type { BulkIngestQueued, BulkRowsIngested } from '@popsvc/contracts/events';

export type JobStatus = 'queued' | 'processing' | 'completed' | 'partially_completed' | 'failed';
export type RowError = BulkRowsIngested['errors'][number];

/** A bulk job as its stream tells it. */
export interface Job {
  readonly queued: BulkIngestQueued;
  readonly network: number;
  readonly vendor: string;
  /** Which API key asked for it. */
  readonly keyId: string | undefined;
  readonly status: JobStatus;
  /** When it was queued; once processing began, when that was. It stays over later attempts. */
  readonly startedAtMs: number;
  readonly completedAtMs: number | undefined;
  /** The attempt that is at work or was the last; 0 before the first. Any other is fenced off. */
  readonly attempt: number;
  /** The mapping the first attempt found: null for none; undefined before it. Later attempts keep to it. */
  readonly mappingVersion: number | null | undefined;
  /** Of the file when the job began; undefined before. */
  readonly sha256: string | undefined;
  /** The last row that is dealt with. */
  readonly toRow: number;
  /** How many events the stream of rows holds, as far as the job knows. */
  readonly nextRevision: number;
  readonly bytesRead: number;
  readonly processedRows: number;
  readonly errorRows: number;
  /** The first of them. */
  readonly errors: readonly RowError[];
  /** Undefined until the end of the file was seen. */
  readonly totalRows: number | undefined;
  /** Why it failed. */
  readonly reason: string | undefined;
}

/** So many of a job's bad rows are told one by one; the others are counted. */
export const maxReportedErrors = 1_000;

export const hasEnded = ({ status }: Pick<Job, 'status'>): boolean => status !== 'queued' && status !== 'processing';
