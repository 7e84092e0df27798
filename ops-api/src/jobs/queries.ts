import { joinJobParts } from '@popsvc/read-models/queries';
import { bulkJobs } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';

export interface JobsFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly status?: string | undefined;
  readonly limit: number;
  /** Cursor: only jobs that were queued before this sequence. */
  readonly before?: string | undefined;
}

/** Selects the matching jobs, newest first, plus one row if there is another page. */
export const jobsQuery = ({ network, vendor, status, limit, before }: JobsFilter): Sql => sql`
SELECT * EXCEPT (queued_pos), toString(queued_pos) AS sequence FROM (${joinJobParts(liveViewName(bulkJobs))})
WHERE ${joinWithAnd([
  sql`queued_pos > 0`,
  network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
  vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
  status === undefined ? undefined : sql`status = ${bind('String', status)}`,
  before === undefined ? undefined : sql`queued_pos < ${bind('UInt64', before)}`,
])}
ORDER BY queued_pos DESC LIMIT ${bind('UInt64', limit + 1)}`;
