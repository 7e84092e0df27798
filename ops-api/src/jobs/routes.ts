import { Readable } from 'node:stream';
import { BULK_FORMATS, BulkJob, BulkJobWarning, CSV_DELIMITERS } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import { BulkIngestQueued, bulkJobStream, BulkRowsIngested } from '@popsvc/contracts/events';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { delimiterOf, foldJob, type Job, toJobWarnings } from '@popsvc/domain/bulk';
import { bind, type ClickHouseReader, liveViewName, sql } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  jsonResponse,
  noParameters,
  parseQuery,
  type Route,
  sequencePages,
  streamResponse,
} from '@popsvc/http-kit/server';
import { type JobRow, jobsQuery } from '@popsvc/read-models/queries';
import { bulkJobs } from '@popsvc/read-models/tables';
import { z } from 'zod';
import {
  networkIdField,
  nextAfter,
  pageParameters,
  vendorField,
  vendorFilterConditions,
  vendorFilterParameters,
} from '../requests/parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';

export interface JobsDependencies {
  readonly store: EventStore;
  readonly reader: ClickHouseReader;
}

type StreamReader = Pick<EventStore, 'readStream'>;

const jobNotFound = (): ApiError => new ApiError('NOT_FOUND', 'There is no bulk job with this id.');

const readJob = async (store: StreamReader, id: string): Promise<{ job: Job; queuedMs: number }> => {
  let job: Job | undefined;
  let queuedMs = 0;
  for await (const event of store.readStream(bulkJobStream(id))) {
    job = foldJob(job, event);
    if (event.type === BulkIngestQueued.type) queuedMs = event.recordedAtMs;
  }
  if (!job) throw jobNotFound();
  return { job, queuedMs };
};

const requireJob = async (store: StreamReader, id: string): Promise<void> => {
  for await (const _ of store.readStream(bulkJobStream(id), { max: 1 })) return;
  throw jobNotFound();
};

async function* readRejectedRows(store: StreamReader, id: string): AsyncGenerator<string> {
  for await (const { type, data, metadata } of store.readStream(bulkJobStream(id))) {
    if (type !== BulkRowsIngested.type) continue;
    const { errors } = BulkRowsIngested.read(data, metadata.schemaVersion);
    if (errors.length > 0) yield errors.map((error) => `${JSON.stringify(error)}\n`).join('');
  }
}

const count = z.int().min(0);

const JobPath = z.object({ id: z.string().describe('Of the job.') });

const ListedJob = z
  .object({
    job_id: z.string().describe('Id of the job, as in paths.'),
    status: BulkJob.shape.status,
    network_id: networkIdField,
    vendor: vendorField,
    file_name: z.string().describe('As the vendor named the file.'),
    format: z.enum(BULK_FORMATS).describe('Format of the file.'),
    delimiter: z.enum(CSV_DELIMITERS).nullable().describe('Of a CSV file; null for other files.'),
    schema_version: z.string().describe("The vendor's name for the schema of the rows."),
    size_bytes: count.describe('Size of the stored file, which is not compressed.'),
    bytes_read: count.describe('Approximate number of bytes read so far.'),
    processed_rows: count.describe('Rows that were accepted so far.'),
    error_rows: count.describe('Rows that failed so far.'),
    total_rows: count
      .nullable()
      .describe('Rows that were read; null until the job ends or reaches the end of its file.'),
    attempt: count.describe('0 before the first.'),
    progress_percent: z.number().min(0).max(100).describe('By bytes read; 100 only if the file was read to its end.'),
    queued_at: Instant.nullable().describe('When the job was queued; null if that is unknown.'),
    began_at: Instant.nullable().describe('Start of processing; null before.'),
    ended_at: Instant.nullable().describe('When the job ended; null before.'),
    reason: z.string().nullable().describe('Why it failed, or why its file was not read to its end.'),
  })
  .meta({ id: 'ListedJob' });

const JobsResponse = z.object({
  jobs: z.array(ListedJob).describe('Newest first.'),
  next_after: nextAfter,
});

const ShownJob = ListedJob.extend({
  file_id: z.string().describe('Id of the uploaded file.'),
  key_id: z.string().nullable().describe('The API key that requested the job.'),
  metadata: z.looseObject({}).nullable().describe('As sent with the ingest request; null without any.'),
  mapping_version: z.int().nullable().describe('The mapping in force at the start; null before, or without one.'),
  sha256: z.string().nullable().describe('SHA-256 of the stored file, hexadecimal; null if unknown.'),
  errors: z.array(BulkJob.shape.errors.unwrap().element).describe('The first rejected rows.'),
  warnings: z
    .array(BulkJobWarning)
    .readonly()
    .describe(BulkJob.shape.warnings.description ?? ''),
  warning_count: count.describe('Number of such rows, with those that are not listed.'),
}).meta({ id: 'ShownJob' });

interface Progress {
  readonly bytes: number;
  readonly of: number;
  readonly whole: boolean;
}

const progressPercent = ({ bytes, of, whole }: Progress): number => {
  if (whole) return 100;
  return of === 0 ? 0 : Math.min(99.9, Math.floor((1_000 * bytes) / of) / 10);
};

/** A partially completed job has a `reason` if its file was not read to its end. */
const isFullyRead = ({ status, reason }: Pick<JobRow, 'status' | 'reason'>) =>
  status === 'completed' || (status === 'partially_completed' && reason === '');
const instantOrNull = (ms: number | undefined): string | null => (ms ? instantOf(ms) : null);

const toListedJob = ({ queued_ms, began_ms, ended_ms, delimiter, reason, sequence: _, ...job }: JobRow) => ({
  ...job,
  delimiter: delimiter || null,
  progress_percent: progressPercent({
    bytes: job.bytes_read,
    of: job.size_bytes,
    whole: isFullyRead({ status: job.status, reason }),
  }),
  queued_at: instantOrNull(queued_ms),
  began_at: instantOrNull(began_ms),
  ended_at: instantOrNull(ended_ms),
  reason: reason || null,
});

const toShownJob = (job: Job, queuedMs: number) => {
  const { queued, status, totalRows, attempt, reason, bytesRead, startedAtMs, completedAtMs } = job;
  return {
    ...toListedJob({
      job_id: queued.jobId,
      status,
      network_id: job.network,
      vendor: job.vendor,
      file_name: queued.fileName,
      format: queued.format,
      delimiter: delimiterOf(queued) ?? '',
      schema_version: queued.schemaVersion,
      size_bytes: queued.sizeBytes,
      bytes_read: bytesRead,
      processed_rows: job.processedRows,
      error_rows: job.errorRows,
      total_rows: totalRows ?? null,
      attempt,
      reason: reason ?? '',
      queued_ms: queuedMs,
      began_ms: attempt > 0 ? startedAtMs : 0,
      ended_ms: completedAtMs ?? 0,
      sequence: '',
    }),
    file_id: queued.fileId,
    key_id: job.keyId ?? null,
    metadata: queued.metadata ?? null,
    mapping_version: job.mappingVersion ?? null,
    sha256: job.sha256 ?? queued.sha256,
    errors: job.errors,
    warnings: toJobWarnings(job),
    warning_count: job.multiLineRows?.count ?? 0,
  };
};

const JobsQuery = z.strictObject({
  ...vendorFilterParameters,
  status: BulkJob.shape.status.optional(),
  ...pageParameters(sequencePages, 100),
});

const listJobsRoute = ({ reader }: JobsDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/jobs',
  summary: 'Bulk jobs, newest first.',
  operationId: 'listJobs',
  access: 'viewer',
  examples: [{ name: 'completed', query: { status: 'completed', limit: 10 } }],
  schemas: { query: JobsQuery, responses: { 200: JobsResponse } },
  async handle({ query, signal }) {
    const { status, limit, after, ...filter } = parseQuery(JobsQuery, query);
    const conditions = [
      sql`queued_pos > 0`,
      ...vendorFilterConditions(filter),
      status === undefined ? undefined : sql`status = ${bind('String', status)}`,
      after && sql`queued_pos < ${bind('UInt64', after.sequence)}`,
    ];
    const found = await reader.rows<JobRow>(jobsQuery(liveViewName(bulkJobs), conditions, limit), { signal });
    if (found.length === 0) await rejectUnknownFilter(registryLog, filter);
    const page = sequencePages.cutPage(found, limit);
    return jsonResponse(200, { jobs: page.rows.map(toListedJob), next_after: page.next });
  },
});

const showJobRoute = ({ store }: JobsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/jobs/:id',
  summary: 'One bulk job, with its first rejected rows.',
  operationId: 'showJob',
  access: 'viewer',
  examples: [{ name: 'aJob', params: { id: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
  schemas: { params: JobPath, query: noParameters, responses: { 200: ShownJob } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params }) {
    const { job, queuedMs } = await readJob(store, params['id'] ?? '');
    return jsonResponse(200, toShownJob(job, queuedMs));
  },
});

const listJobErrorsRoute = ({ store }: JobsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/jobs/:id/errors',
  summary: 'The first 100,000 rejected rows of a bulk job, one JSON object per line.',
  operationId: 'listJobErrors',
  access: 'viewer',
  examples: [{ name: 'aJob', params: { id: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
  schemas: {
    params: JobPath,
    query: noParameters,
    otherResponses: { 'application/x-ndjson': 'One object with `row` and `error` per line.' },
  },
  errorCodes: ['NOT_FOUND'],
  async handle({ params }) {
    const id = params['id'] ?? '';
    await requireJob(store, id);
    return streamResponse(200, { 'Content-Type': 'application/x-ndjson' }, () =>
      Readable.from(readRejectedRows(store, id)),
    );
  },
});

export const jobRoutes = (dependencies: JobsDependencies, registryLog: RegistryLog): readonly Route[] => [
  listJobsRoute(dependencies, registryLog),
  showJobRoute(dependencies),
  listJobErrorsRoute(dependencies),
];
