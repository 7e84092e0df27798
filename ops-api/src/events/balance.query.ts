import { vendorBalance } from '@popsvc/read-models/tables';
import { joinWithAnd, bind, instantSql, liveViewName, Sql, sql } from '@popsvc/platform/clickhouse';

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

const those = ({ network, vendor, from, to, hours }: BalanceWanted): Sql =>
  joinWithAnd([
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    from === undefined ? undefined : sql`hour >= ${instantSql(from)}`,
    to === undefined ? undefined : sql`hour < ${instantSql(to)}`,
    hours === undefined
      ? undefined
      : sql`hour IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${bind('Array(Int64)', hours)}), 'UTC'))`,
  ]);

const figures = sql`received, stored, duplicate, conflict, quarantined, late, clock_ahead`;

/** The newest hours first. */
export const hoursQuery = (wanted: BalanceWanted, limit: number): Sql => sql`
SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${figures}
FROM ${liveViewName(vendorBalance)} WHERE ${those(wanted)}
ORDER BY hour DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

/** All hours together, and how many they are. */
export interface BalanceSum extends Balance {
  readonly hours: number;
}

const names = ['received', 'stored', 'duplicate', 'conflict', 'quarantined', 'late', 'clock_ahead'] as const;
const together = `tuple(${names.map((name) => `sum(h.${name}) OVER ()`).join(', ')}, count() OVER ())`;

/** An hour, and beside it all that were asked for: figures in the order of `names`, then how many hours. */
export interface HourOfSum extends HourFound {
  readonly together: readonly number[];
}

/**
 * The newest hours, and on each of them what all together are: told by one query, so that lines and sum agree also while events
 * are being projected.
 */
export const hoursAndSumQuery = (wanted: BalanceWanted, limit: number): Sql => sql`
SELECT *, ${new Sql([together], [])} AS together
FROM (SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${figures}
  FROM ${liveViewName(vendorBalance)} WHERE ${those(wanted)}) AS h
ORDER BY hour_ms DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

/** Nothing of everything where there is no hour. */
export const sumOf = ([first]: readonly HourOfSum[]): BalanceSum => {
  const figuresOf = Object.fromEntries(names.map((name, at) => [name, first?.together[at] ?? 0]));
  return { ...(figuresOf as Record<(typeof names)[number], number>), hours: first?.together.at(-1) ?? 0 };
};
