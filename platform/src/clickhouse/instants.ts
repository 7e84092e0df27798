import { bind, type Sql, sql } from './sql.ts';

/** An instant as ClickHouse has it; the millisecond count keeps every year exact. */
export const instantSql = (ms: number): Sql => sql`fromUnixTimestamp64Milli(${bind('Int64', ms)}, 'UTC')`;
