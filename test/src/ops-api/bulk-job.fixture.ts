import { bulkJobStream } from '@popsvc/contracts/events';
import type { TestSystem } from '../support/test-system.ts';

export interface BulkJobOptions {
  readonly network?: number;
  readonly vendor?: string;
  readonly rows?: number;
}

/** Appends the events of a bulk job step by step, as command-api and its worker do. */
export const createBulkJob = (
  system: Pick<TestSystem, 'append'>,
  jobId: string,
  { network = 1, vendor = 'acme' }: BulkJobOptions = {},
) => {
  const append = (type: string, data: object) =>
    system.append(bulkJobStream(jobId), type, { jobId, ...data }, { network, vendor });
  const counts = (processedRows: number, errorRows: number) => ({ processedRows, errorRows });
  return {
    queue: (overrides: object = {}) =>
      append('BulkIngestQueued', {
        fileId: `file-of-${jobId}`,
        fileName: 'plays.csv',
        format: 'csv',
        schemaVersion: 'own-1',
        sizeBytes: 1_000,
        sha256: null,
        ...overrides,
      }),
    start: (attempt: number, overrides: object = {}) =>
      append('BulkIngestStarted', {
        ...{ attempt, worker: `worker-${attempt}`, mappingVersion: 1, sha256: 'e3b0c442' },
        ...overrides,
      }),
    rows: (attempt: number, toRow: number, bytesRead: number, rejected: readonly number[], totalRejected: number) =>
      append('BulkRowsIngested', {
        attempt,
        toRow,
        bytesRead,
        nextRevision: toRow - totalRejected,
        ...counts(toRow - totalRejected, totalRejected),
        errors: rejected.map((row) => ({ row, error: `row ${row} is not JSON` })),
      }),
    complete: (attempt: number, totalRows: number) =>
      append('BulkIngestCompleted', { attempt, totalRows, ...counts(totalRows, 0) }),
    completePartially: (attempt: number, totalRows: number, errorRows: number, overrides: object = {}) =>
      append('BulkIngestPartiallyCompleted', {
        ...{ attempt, totalRows, ...counts(totalRows - errorRows, errorRows) },
        ...overrides,
      }),
    /** `totalRows`: null if the file was not read. */
    fail: (attempt: number, reason: string, totalRows: number | null = null) =>
      append('BulkIngestFailed', { attempt, totalRows, ...counts(0, totalRows ?? 0), reason }),
  };
};
