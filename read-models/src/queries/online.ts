import { onlineWindowMs } from '@popsvc/domain/status';
import { bind, type Sql, sql } from '@popsvc/platform/clickhouse';

/** Whether something is online now (decisions 7.1), by when its last counted heartbeat was received; null: never. */
export const isOnlineSql = (lastReceived: Sql, nowMs: number): Sql =>
  sql`ifNull(${bind('Int64', nowMs)} - toUnixTimestamp64Milli(${lastReceived}) <= ${bind('Int64', onlineWindowMs)}, 0)`;
