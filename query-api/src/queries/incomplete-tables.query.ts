import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';

/** Tables that the live generation has not whole: they came with a newer build, and the next generation is being built. */
export const incompleteTablesQuery: Sql = sql`SELECT name FROM ${liveViewName({ name: 'incomplete' })}`;
