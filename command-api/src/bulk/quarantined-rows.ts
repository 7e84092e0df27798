import { VendorQuarantine } from '@popsvc/contracts/responses';
import { instantMs } from '@popsvc/contracts/time';
import { countUnmappedRows, type Job } from '@popsvc/domain/bulk';
import type { RouteRequest } from '@popsvc/http-kit/server';
import { quarantineRead } from '@popsvc/http-kit/vendor-reads';
import type { ForwardRequest } from '../query-api/query-api-proxy.ts';

interface ProjectedCount {
  readonly rows: number;
  /** `rows` covers all events that were received up to this time, in ms since 1970. */
  readonly asOfMs: number;
}

/**
 * Counts the rows of a job that are in quarantine. Gets the number from query-api, because only the read models show which rows have
 * left the quarantine. Rows that were accepted without a mapping enter the quarantine when they are projected, so until all rows are
 * projected, the result is at least the number of such rows. If query-api does not respond, the result is that number.
 */
export const countQuarantinedRows = async (
  forward: ForwardRequest,
  job: Job,
  request: RouteRequest,
): Promise<number> => {
  if (job.processedRows + job.errorRows === 0) return 0;
  const unmapped = countUnmappedRows(job);
  try {
    const projected = await readProjectedCount(forward, job, request);
    const isComplete = job.completedAtMs !== undefined && projected.asOfMs >= job.completedAtMs;
    return isComplete ? projected.rows : Math.max(projected.rows, unmapped);
  } catch (err) {
    request.log.warn({ err, jobId: job.queued.jobId }, 'failed to count quarantined rows');
    return unmapped;
  }
};

const readProjectedCount = async (
  forward: ForwardRequest,
  { queued: { jobId, schemaVersion } }: Job,
  request: RouteRequest,
): Promise<ProjectedCount> => {
  const query = new URLSearchParams({ schema_version: schemaVersion, job_id: jobId, limit: '1' });
  const { status, content, headers = {} } = await forward('get', `${quarantineRead.path}?${query.toString()}`, request);
  if (status !== 200) throw new Error(`query-api responded with status ${status}`);
  const { reasons } = VendorQuarantine.parse(JSON.parse(content.toString())).data;
  return {
    rows: reasons.reduce((sum, { count }) => sum + count, 0),
    asOfMs: instantMs(headers['x-data-as-of'] ?? '') ?? -Infinity,
  };
};
