import { bulkJobStream } from '@popsvc/contracts/events';
import type { TestSystem } from '../support/test-system.ts';

export interface JobTold {
  readonly network?: number;
  readonly vendor?: string;
  readonly rows?: number;
}

/** A bulk job, told to the log step by step as command-api and its worker do. */
export const bulkJob = (
  { append }: Pick<TestSystem, 'append'>,
  jobId: string,
  { network = 1, vendor = 'acme' }: JobTold = {},
) => {
  const tell = (type: string, data: object) =>
    append(bulkJobStream(jobId), type, { jobId, ...data }, { network, vendor });
  const counts = (processedRows: number, errorRows: number) => ({ processedRows, errorRows });
  return {
    queue: (over: object = {}) =>
      tell('BulkIngestQueued', {
        fileId: `file-of-${jobId}`,
        fileName: 'plays.csv',
        format: 'csv',
        schemaVersion: 'own-1',
        sizeBytes: 1_000,
        sha256: null,
        ...over,
      }),
    start: (attempt: number) =>
      tell('BulkIngestStarted', { attempt, worker: `worker-${attempt}`, mappingVersion: 1, sha256: 'e3b0c442' }),
    rows: (attempt: number, toRow: number, bytesRead: number, bad: readonly number[], allBad: number) =>
      tell('BulkRowsIngested', {
        attempt,
        toRow,
        bytesRead,
        nextRevision: toRow - allBad,
        ...counts(toRow - allBad, allBad),
        errors: bad.map((row) => ({ row, error: `row ${row} is not JSON` })),
      }),
    complete: (attempt: number, totalRows: number) =>
      tell('BulkIngestCompleted', { attempt, totalRows, ...counts(totalRows, 0) }),
    completeInPart: (attempt: number, totalRows: number, errorRows: number) =>
      tell('BulkIngestPartiallyCompleted', { attempt, totalRows, ...counts(totalRows - errorRows, errorRows) }),
    fail: (attempt: number, reason: string) =>
      tell('BulkIngestFailed', { attempt, totalRows: null, ...counts(0, 0), reason }),
  };
};
