import { progress } from '@popsvc/read-models/tables';
import { bind, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';

/** How far the live generation of a projection is written; no row while it has not begun. The position may be more than a double holds. */
export const progressQuery = (projection: string): Sql => sql`
SELECT generation, any(tables_id) AS tables_id, toString(max(pos)) AS position, toUnixTimestamp64Milli(max(as_of)) AS as_of_ms
FROM ${liveViewName(progress)} WHERE projection = ${bind('String', projection)}
GROUP BY generation ORDER BY generation DESC LIMIT 1`;
