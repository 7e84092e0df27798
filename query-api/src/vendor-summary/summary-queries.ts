import { instantSql, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { ReferenceSources } from '@popsvc/read-models/queries';
import { coffee, plays, screenPlaces, vendorBalance } from '@popsvc/read-models/tables';
import { rowsOfNetwork } from '../scope/network-rows.ts';
import { rowsOfVendor, type VendorScope } from '../scope/vendor.ts';

/** Counts of a vendor's events that were received in one hour. `hour_ms`: start of the hour, ms since 1970. */
export interface HourRow {
  readonly hour_ms: number;
  readonly received: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly conflict: number;
  readonly quarantined: number;
}

/** A time window, ms since 1970. */
interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

const hourMs = 3_600_000;

/** Selects the hours that overlap a time window and in which the vendor sent events, oldest first. */
export const queryHours = (vendor: VendorScope, window: Window): Sql => {
  const firstHourMs = Math.floor(window.fromMs / hourMs) * hourMs;
  const isInWindow = sql`(hour >= ${instantSql(firstHourMs)} AND hour < ${instantSql(window.toMs)})`;
  return sql`
SELECT toUnixTimestamp64Milli(hour) AS hour_ms, received, stored, duplicate, conflict, quarantined
FROM ${rowsOfVendor(vendorBalance, vendor, [isInWindow])}
ORDER BY hour_ms`;
};

/** Selects the rows in which unknown ids of a vendor are searched: those of its plays that start in the window. */
export const referenceSourcesOf = (vendor: VendorScope, { fromMs, toMs }: Window): ReferenceSources => ({
  coffee: rowsOfVendor(coffee, vendor, [sql`ts >= ${instantSql(fromMs)}`, sql`ts < ${instantSql(toMs)}`]),
  screenPlaces: rowsOfNetwork(screenPlaces, vendor.network),
  playsWhere: (condition) => rowsOfVendor(plays, vendor, [condition]),
});
