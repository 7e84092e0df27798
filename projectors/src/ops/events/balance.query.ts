import { vendorBalance } from '@popsvc/contracts/tables';
import { allOf, bind, liveView, type Sql, sql } from '@popsvc/platform/read-store';

/** What became of what a vendor sent in an hour, or in several together. */
export interface Balance {
  readonly received: number;
  readonly stored: number;
  readonly duplicate: number;
  readonly conflict: number;
  readonly quarantined: number;
  /** Of the stored. */
  readonly late: number;
  /** Of the stored. */
  readonly clock_ahead: number;
}

export interface HourFound extends Balance {
  readonly network_id: number;
  readonly vendor: string;
  readonly hour_ms: number;
}

export interface BalanceWanted {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  /** Hours that begin here or later, ms since 1970. */
  readonly from?: number | undefined;
  /** Hours that begin before. */
  readonly to?: number | undefined;
  /** These hours alone. */
  readonly hours?: readonly number[] | undefined;
}

const instant = (ms: number): Sql => sql`fromUnixTimestamp64Milli(${bind('Int64', ms)}, 'UTC')`;

const those = ({ network, vendor, from, to, hours }: BalanceWanted): Sql =>
  allOf([
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    from === undefined ? undefined : sql`hour >= ${instant(from)}`,
    to === undefined ? undefined : sql`hour < ${instant(to)}`,
    hours === undefined
      ? undefined
      : sql`hour IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${bind('Array(Int64)', hours)}), 'UTC'))`,
  ]);

const figures = sql`received, stored, duplicate, conflict, quarantined, late, clock_ahead`;

/** The newest hours first. */
export const hoursQuery = (wanted: BalanceWanted, limit: number): Sql => sql`
SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${figures}
FROM ${liveView(vendorBalance)} WHERE ${those(wanted)}
ORDER BY hour DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

/** All hours together, and how many there are; counted whole from the hours. */
export const sumQuery = (wanted: BalanceWanted): Sql => sql`
SELECT sum(h.received) AS received, sum(h.stored) AS stored, sum(h.duplicate) AS duplicate, sum(h.conflict) AS conflict,
  sum(h.quarantined) AS quarantined, sum(h.late) AS late, sum(h.clock_ahead) AS clock_ahead, count() AS hours
FROM (SELECT ${figures} FROM ${liveView(vendorBalance)} WHERE ${those(wanted)}) AS h`;
