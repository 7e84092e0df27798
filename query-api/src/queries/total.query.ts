import { type Sql, sql } from '@popsvc/platform/clickhouse';
import { type Extent, reportRows } from './report-rows.ts';

export const totalQuery = (extent: Extent): Sql => sql`SELECT count() AS total FROM ${reportRows(extent)}`;
