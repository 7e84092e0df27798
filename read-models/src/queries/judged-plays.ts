import { type Sql, sql } from '@popsvc/platform/clickhouse';

/**
 * Receipts of plays, each with what it counts as (decisions 4.5): the first in the log of an id is stored, the same content
 * again is a duplicate, another a conflict. `from`: rows of `plays`, and of each id all of them.
 */
export const classifyReceipts = (from: Sql): Sql => sql`
  SELECT *, multiIf(pos = first_pos, 'stored', content_hash = first_hash, 'duplicate', 'conflict') AS outcome
  FROM (
    SELECT *, min(pos) OVER same AS first_pos, argMin(content_hash, pos) OVER same AS first_hash
    FROM ${from}
    WINDOW same AS (PARTITION BY network_id, vendor, event_id)
  )`;
