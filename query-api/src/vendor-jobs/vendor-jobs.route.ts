import type { VendorJob, VendorJobs } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import { describeQuarantinedRows } from '@popsvc/domain/bulk';
import { cutPage, jsonResponse, parseQuery, type Route } from '@popsvc/platform/http';
import { JobsQuery, jobsRead } from '@popsvc/platform/vendor-reads';
import type { JobRow } from '@popsvc/read-models/queries';
import { oldestDataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';
import { queryJobs, queryWaitingRows, type WaitingRowCount } from './job-queries.ts';

/** `GET /popsvc/v1/pop/jobs`: a page of a vendor's bulk jobs. */
export const vendorJobsRoute = ({ shardOf }: { readonly shardOf: ShardOf }): Route => ({
  ...jobsRead,
  async handle({ query, principal, signal }) {
    const { status, limit, before } = parseQuery(JobsQuery, query);
    const vendor = requireVendor(principal);
    const { reader, readProgress } = shardOf(vendor.network);
    const progress = await Promise.all([readProgress('jobs'), readProgress('coffee')]);
    const found = await reader.rows<JobRow>(queryJobs(vendor, { status, limit, before }), { signal });
    const { rows, nextBefore } = cutPage(found, limit);
    const oldest = rows.at(-1);
    const waiting = oldest
      ? await reader.rows<WaitingRowCount>(
          queryWaitingRows(
            vendor,
            rows.map(({ job_id }) => job_id),
            oldest.sequence,
          ),
          { signal },
        )
      : [];
    const waitingById = new Map(waiting.map((count) => [count.job_id, count.waiting]));
    const page: VendorJobs = {
      status: true,
      message: 'jobs retrieved',
      data: {
        count: rows.length,
        rows: rows.map((job) => renderJob(job, waitingById.get(job.job_id) ?? 0)),
        next_before: nextBefore,
      },
    };
    return jsonResponse(200, page, oldestDataAsOfHeader(progress));
  },
});

const renderJob = (job: JobRow, quarantinedRows: number): VendorJob => {
  const status = job.status as VendorJob['status'];
  const counts = { processedRows: job.processed_rows, errorRows: job.error_rows };
  return {
    jobId: job.job_id,
    status,
    fileName: job.file_name,
    format: job.format as VendorJob['format'],
    schemaVersion: job.schema_version,
    ...(job.total_rows !== null && { totalRows: job.total_rows }),
    ...counts,
    queuedAt: instantOf(job.queued_ms),
    startedAt: instantOf(job.began_ms || job.queued_ms),
    completedAt: job.ended_ms === 0 ? null : instantOf(job.ended_ms),
    bytesRead: Math.min(job.bytes_read, job.size_bytes),
    sizeBytes: job.size_bytes,
    ...describeQuarantinedRows({ status, ...counts }, quarantinedRows, job.reason || undefined),
  };
};
