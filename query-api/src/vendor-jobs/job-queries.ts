import { bind, joinWithAnd, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { joinJobParts } from '@popsvc/read-models/queries';
import { bulkJobs, quarantine } from '@popsvc/read-models/tables';
import { rowsOfVendor, type VendorScope } from '../scope/vendor.ts';

interface JobSelection {
  readonly status?: string | undefined;
  readonly limit: number;
  /** Cursor: only jobs that were queued before this sequence. */
  readonly before?: string | undefined;
}

/** Selects a vendor's jobs as `JobRow`, newest first, plus one more job if there is another page. */
export const queryJobs = (vendor: VendorScope, { status, limit, before }: JobSelection): Sql => {
  // Only the row of the part `queued` names the vendor of a job.
  const ownIds = sql`SELECT job_id FROM ${rowsOfVendor(bulkJobs, vendor, [
    sql`part = 'queued'`,
    before === undefined ? undefined : sql`pos < ${bind('UInt64', before)}`,
  ])}`;
  const ownParts = sql`(SELECT * FROM ${liveViewName(bulkJobs)} WHERE job_id IN (${ownIds}))`;
  return sql`
SELECT * EXCEPT (queued_pos), toString(queued_pos) AS sequence FROM (${joinJobParts(ownParts)})
WHERE ${joinWithAnd([status === undefined ? undefined : sql`status = ${bind('String', status)}`])}
ORDER BY queued_pos DESC LIMIT ${bind('UInt64', limit + 1)}`;
};

export interface WaitingRowCount {
  readonly job_id: string;
  readonly waiting: number;
}

/**
 * Counts the rows of jobs that wait in quarantine, by job; jobs without such rows are omitted. `firstSequence`: the lowest sequence at
 * which one of the jobs was queued. All rows of the jobs come later in the log, so the primary index excludes most of the other events.
 */
export const queryWaitingRows = (vendor: VendorScope, jobIds: readonly string[], firstSequence: string): Sql => sql`
SELECT job_id, count() AS waiting
FROM ${rowsOfVendor(quarantine, vendor, [
  sql`state = 'waiting'`,
  sql`pos > ${bind('UInt64', firstSequence)}`,
  sql`job_id IN ${bind('Array(String)', jobIds)}`,
])}
GROUP BY job_id`;
