import type { VendorJob, VendorJobs } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { describeQuarantinedRows, type QuarantinedRowCounts } from '@popsvc/domain/bulk';
import { bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, parseQuery, type Route, sequencePages } from '@popsvc/http-kit/server';
import { JobsQuery, jobsRead } from '@popsvc/http-kit/vendor-reads';
import { type JobRow, jobsQuery } from '@popsvc/read-models/queries';
import { bulkJobs, quarantine } from '@popsvc/read-models/tables';
import { oldestDataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor, rowsOfVendor, type VendorScope } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';

/** A job has several rows, and only its row with the part `queued` names the vendor. */
const ownJobs = (vendor: VendorScope, before: string | undefined): Sql => {
  const queued = rowsOfVendor(bulkJobs, vendor, [
    sql`part = 'queued'`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ]);
  return sql`(SELECT * FROM ${liveViewName(bulkJobs)} WHERE job_id IN (SELECT job_id FROM ${queued}))`;
};

interface WaitingRowCount {
  readonly job_id: string;
  readonly waiting: number;
  readonly too_old: number;
}

/** `firstSequence`: lowest `sequence` of the jobs. Their rows come later in the log, so the primary index excludes earlier events. */
const waitingRowsQuery = (vendor: VendorScope, jobIds: readonly string[], firstSequence: string): Sql => sql`
SELECT job_id, count() AS waiting, countIf(code = 'too_old') AS too_old
FROM ${rowsOfVendor(quarantine, vendor, [
  sql`state = 'waiting'`,
  sql`pos > ${bind('UInt64', firstSequence)}`,
  sql`job_id IN ${bind('Array(String)', jobIds)}`,
])}
GROUP BY job_id`;

export const vendorJobsRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...jobsRead,
  async handle({ query, principal, signal }) {
    const { status, limit, before } = parseQuery(JobsQuery, query);
    const vendor = requireVendor(principal);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await Promise.all([readProgress('jobs'), readProgress('coffee')]);
    const hasStatus = status === undefined ? undefined : sql`status = ${bind('String', status)}`;
    const found = await reader.rows<JobRow>(jobsQuery(ownJobs(vendor, before?.sequence), [hasStatus], limit), {
      signal,
    });
    const { rows, next } = sequencePages.cutPage(found, limit);
    const oldest = rows.at(-1);
    const waiting = oldest
      ? await reader.rows<WaitingRowCount>(
          waitingRowsQuery(
            vendor,
            rows.map(({ job_id }) => job_id),
            oldest.sequence,
          ),
          { signal },
        )
      : [];
    const countsById = new Map(waiting.map((row) => [row.job_id, { all: row.waiting, tooOld: row.too_old }]));
    const page: VendorJobs = {
      status: true,
      message: 'jobs retrieved',
      data: {
        count: rows.length,
        rows: rows.map((job) => renderJob(job, countsById.get(job.job_id) ?? { all: 0, tooOld: 0 })),
        next_before: next,
      },
    };
    return jsonResponse(200, page, oldestDataAsOfHeader(progress));
  },
});

const renderJob = (job: JobRow, quarantined: QuarantinedRowCounts): VendorJob => {
  const status = job.status as VendorJob['status'];
  const counts = { processedRows: job.processed_rows, errorRows: job.error_rows };
  return {
    jobId: job.job_id,
    status,
    fileName: job.file_name,
    format: job.format as VendorJob['format'],
    ...(job.delimiter !== '' && { delimiter: job.delimiter as VendorJob['delimiter'] }),
    schemaVersion: job.schema_version,
    ...(job.total_rows !== null && { totalRows: job.total_rows }),
    ...counts,
    queuedAt: instantOf(job.queued_ms),
    startedAt: instantOf(job.began_ms || job.queued_ms),
    completedAt: job.ended_ms === 0 ? null : instantOf(job.ended_ms),
    bytesRead: Math.min(job.bytes_read, job.size_bytes),
    sizeBytes: job.size_bytes,
    ...describeQuarantinedRows({ status, ...counts }, quarantined, job.reason || undefined),
  };
};
