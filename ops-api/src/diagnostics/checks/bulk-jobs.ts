import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { bulkJobs as jobsTable } from '@popsvc/read-models/tables';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('bulk-jobs', 'Bulk jobs make progress, and none failed in the last 24 hours.', {
  stuck: warning('Check that a worker runs and is ready; `popsvc jobs list` shows the jobs.', {
    begins: 'no progress for 15 minutes',
  }),
  failed: warning(
    '`popsvc jobs list --status failed` lists them, `popsvc jobs show JOB_ID` shows why; the vendor sends the file again once it is corrected.',
  ),
});

/** Statistics of the last 24 hours, except `stuck`. */
interface BulkJobCounts {
  readonly failed: number;
  readonly ended?: number;
  /** Unfinished jobs without progress for 15 minutes, whatever their age. */
  readonly stuck?: number;
  readonly lastReason?: string;
  readonly lastFailedMs?: number;
}

export const judgeBulkJobs = ({ failed, ended, stuck = 0, lastReason, lastFailedMs }: BulkJobCounts): Finding => {
  if (stuck > 0) return check.problem('stuck', { found: `${stuck} made no progress for 15 minutes` });
  if (failed === 0)
    return check.ok({
      found: ended === undefined ? 'none failed in the last 24 h' : `${ended} ended in the last 24 h, none failed`,
    });
  const ratio = ended === undefined ? `${failed}` : `${failed} of ${ended}`;
  const reason = lastReason === undefined ? '' : `; the latest: ${lastReason}`;
  return check.problem('failed', {
    found: `${ratio} failed in the last 24 h${reason}`,
    sinceMs: lastFailedMs,
  });
};

const endedJobsQuery: Sql = sql`
  SELECT countIf(status = 'failed') AS failed, count() AS ended, argMaxIf(reason, pos, status = 'failed') AS last_reason
  FROM ${liveViewName(jobsTable)} WHERE part = 'ended' AND recorded_at > now() - INTERVAL 1 DAY`;

const stuckJobsQuery: Sql = sql`
  SELECT count() AS stuck FROM (
    SELECT job_id FROM ${liveViewName(jobsTable)} GROUP BY job_id
    HAVING countIf(part = 'ended') = 0 AND max(recorded_at) < now() - INTERVAL 15 MINUTE)`;

export const bulkJobs: ShardEvaluation = {
  check,
  scope: 'any shard',
  needs: ['clickhouse'],
  async evaluate({ reader }) {
    const [[counts], [waiting]] = await Promise.all([
      reader.rows<{ failed: number; ended: number; last_reason: string }>(endedJobsQuery),
      reader.rows<{ stuck: number }>(stuckJobsQuery),
    ]);
    const { failed = 0, ended = 0, last_reason: lastReason = '' } = counts ?? {};
    return [judgeBulkJobs({ failed, ended, stuck: waiting?.stuck ?? 0, lastReason })];
  },
};
