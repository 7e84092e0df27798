import { progress } from '@popsvc/contracts/tables';
import { bind, liveView, type Sql, sql } from '@popsvc/platform/read-store';

/** Until when everything received is projected; null while nothing is. */
export const asOfQuery = (projection: string): Sql =>
  sql`SELECT toUnixTimestamp64Milli(maxOrNull(as_of)) AS as_of_ms FROM ${liveView(progress)} WHERE projection = ${bind('String', projection)}`;
