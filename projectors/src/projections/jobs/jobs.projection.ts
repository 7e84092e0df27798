import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  parkingStream,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { delimiterOf } from '@popsvc/domain/bulk';
import { bulkJobs } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import { createRowBatches, addAtomically } from '../../engine/row-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { type RowOf, sourceOf } from '../rows/fact-rows.ts';

type JobRow = RowOf<typeof bulkJobs>;
type JobPart = Omit<JobRow, 'job_id' | 'pos' | 'recorded_at'>;

const emptyColumns = {
  network_id: 0,
  vendor: '',
  key_id: '',
  file_id: '',
  file_name: '',
  format: '',
  delimiter: '',
  schema_version: '',
  size_bytes: 0,
  attempt: 0,
  worker: '',
  bytes_read: 0,
  processed_rows: 0,
  error_rows: 0,
  total_rows: null,
  status: '',
  reason: '',
};

const queued = (event: LogItem, job: BulkIngestQueued): JobPart => {
  const { network_id, vendor } = sourceOf(event);
  const { fileId, fileName, format, schemaVersion, sizeBytes } = job;
  return {
    ...emptyColumns,
    part: 'queued',
    network_id,
    vendor,
    key_id: event.metadata.keyId ?? '',
    file_id: fileId,
    file_name: fileName,
    format,
    delimiter: delimiterOf(job) ?? '',
    schema_version: schemaVersion,
    size_bytes: sizeBytes,
  };
};

const started = ({ attempt, worker }: BulkIngestStarted): readonly JobPart[] => {
  const row = { ...emptyColumns, attempt, worker };
  return [...(attempt === 1 ? [{ ...row, part: 'began' }] : []), { ...row, part: 'attempt' }];
};

const rows = ({ attempt, bytesRead, processedRows, errorRows }: BulkRowsIngested): JobPart => ({
  ...emptyColumns,
  part: 'rows',
  attempt,
  bytes_read: bytesRead,
  processed_rows: processedRows,
  error_rows: errorRows,
});

const statusOf: Readonly<Record<string, string>> = {
  [BulkIngestCompleted.type]: 'completed',
  [BulkIngestPartiallyCompleted.type]: 'partially_completed',
  [BulkIngestFailed.type]: 'failed',
};

const ended = (status: string, end: BulkIngestCompleted & { readonly reason?: string }): JobPart => ({
  ...emptyColumns,
  part: 'ended',
  attempt: end.attempt,
  processed_rows: end.processedRows,
  error_rows: end.errorRows,
  total_rows: end.totalRows,
  status,
  reason: end.reason ?? '',
});

const partsOf = (event: LogItem, data: unknown): readonly JobPart[] => {
  if (event.type === BulkIngestQueued.type) return [queued(event, data as BulkIngestQueued)];
  if (event.type === BulkIngestStarted.type) return started(data as BulkIngestStarted);
  if (event.type === BulkRowsIngested.type) return [rows(data as BulkRowsIngested)];
  const status = statusOf[event.type];
  return status === undefined ? [] : [ended(status, data as BulkIngestCompleted)];
};

const jobEventTypes: readonly string[] = [
  BulkIngestQueued.type,
  BulkIngestStarted.type,
  BulkRowsIngested.type,
  ...Object.keys(statusOf),
];

const jobRows = (event: LogItem, data: unknown): readonly JobRow[] => {
  const { sequence: pos, recordedAtMs: recorded_at } = event;
  return partsOf(event, data).map((row) => ({
    ...row,
    job_id: (data as BulkIngestQueued).jobId,
    pos,
    recorded_at,
  }));
};

const factTables = { bulkJobs };

const createFold = (): Fold => {
  const open = createRowBatches(factTables);
  return {
    restore: () => undefined,
    apply(event) {
      addAtomically([open.of.bulkJobs], () => {
        for (const row of jobRows(event, readItem(event))) open.of.bulkJobs.add(row);
      });
    },
    get pending() {
      return open.pending;
    },
    seal: () => ({ inserts: open.seal() }),
  };
};

/** For vendors, the list of jobs uses this projection, and the status of a single job comes from the log. */
export const jobsProjection: Projection = {
  name: 'jobs',
  version: 2,
  streams: [streamPrefixes.bulkJob, streamPrefixes.probe, parkingStream('jobs')],
  stateStreams: [],
  rowEventTypes: jobEventTypes,
  tables: Object.values(factTables),
  createFold,
};
