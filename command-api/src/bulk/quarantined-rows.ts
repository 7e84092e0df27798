import { VendorQuarantine } from '@popsvc/contracts/responses';
import { instantMs } from '@popsvc/contracts/time';
import { countUnmappedRows, type Job, type QuarantinedRowCounts } from '@popsvc/domain/bulk';
import type { RouteRequest } from '@popsvc/http-kit/server';
import { quarantineRead } from '@popsvc/http-kit/vendor-reads';
import type { ForwardRequest } from '../query-api/query-api-proxy.ts';

interface ProjectedCounts extends QuarantinedRowCounts {
  /** The counts cover events received up to this time, in ms since 1970. -Infinity if query-api does not state a time. */
  readonly asOfMs: number;
}

/**
 * Only the read models show which rows have left the quarantine. Until they contain all rows, the count is at least the number of rows
 * accepted without a mapping.
 */
export const countQuarantinedRows = async (
  forward: ForwardRequest,
  job: Job,
  request: RouteRequest,
): Promise<QuarantinedRowCounts> => {
  const unmapped = countUnmappedRows(job);
  if (job.processedRows + job.errorRows === 0) return { all: 0, tooOld: 0 };
  try {
    const { all, tooOld, asOfMs } = await readProjectedCounts(forward, job, request);
    const isComplete = job.completedAtMs !== undefined && asOfMs >= job.completedAtMs;
    return { all: isComplete ? all : Math.max(all, unmapped), tooOld };
  } catch (err) {
    request.log.warn({ err, jobId: job.queued.jobId }, 'failed to count quarantined rows');
    return { all: unmapped, tooOld: 0 };
  }
};

const sumOf = (reasons: readonly { readonly count: number }[]): number =>
  reasons.reduce((sum, { count }) => sum + count, 0);

const readProjectedCounts = async (
  forward: ForwardRequest,
  { queued: { jobId, schemaVersion } }: Job,
  request: RouteRequest,
): Promise<ProjectedCounts> => {
  const query = new URLSearchParams({ schema_version: schemaVersion, job_id: jobId, limit: '1' });
  const { status, content, headers = {} } = await forward('get', `${quarantineRead.path}?${query.toString()}`, request);
  if (status !== 200) throw new Error(`query-api responded with status ${status}`);
  const { reasons } = VendorQuarantine.parse(JSON.parse(content.toString())).data;
  return {
    all: sumOf(reasons),
    tooOld: sumOf(reasons.filter(({ code }) => code === 'too_old')),
    asOfMs: instantMs(headers['x-data-as-of'] ?? '') ?? -Infinity,
  };
};
