import { instantSql, liveViewName, type Sql, sql, tableName } from '@popsvc/platform/clickhouse';
import { isOnlineSql } from '@popsvc/read-models/queries';
import { liveness, progressView, receipts } from '@popsvc/read-models/tables';

export interface SeenDevice {
  readonly id: number;
  readonly network_id: number;
  readonly online: 0 | 1;
  readonly received_ms: number;
}

export const seenDevicesQuery = (nowMs: number): Sql => sql`
SELECT id, network_id, ${isOnlineSql(sql`last_received_at`, nowMs)} AS online, toUnixTimestamp64Milli(last_received_at) AS received_ms
FROM ${liveViewName(liveness)} WHERE kind = 'device'`;

export const asOfQuery: Sql = sql`
SELECT toUnixTimestamp64Milli(min(as_of)) AS as_of_ms FROM ${liveViewName(progressView)} WHERE projection IN ('coffee', 'status')`;

/** The last hour in which plays of a vendor were received. */
export interface VendorActivity {
  readonly network_id: number;
  readonly vendor: string;
  readonly hour_ms: number;
}

/** Duplicate rows do not change the result, so the query reads the table of the live generation without deduplication. */
export const vendorActivityQuery = (fromMs: number, liveGeneration: number): Sql => sql`
SELECT network_id, vendor, toUnixTimestamp64Milli(max(hour)) AS hour_ms
FROM ${tableName(receipts, liveGeneration)} WHERE hour >= ${instantSql(fromMs)} GROUP BY network_id, vendor`;
