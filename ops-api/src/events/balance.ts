import { Instant, instantOf } from '@popsvc/contracts/time';
import { joinWithAnd, bind, instantSql, liveViewName, Sql, sql } from '@popsvc/platform/clickhouse';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { vendorBalance } from '@popsvc/read-models/tables';
import { z } from 'zod';
import type { OpsDependencies } from '../dependencies.ts';
import { instantParameter, listLimit, networkParameter, parseQuery, vendorParameter } from '../parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';

/** What became of what a vendor sent in an hour, or in several together. */
interface Balance {
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

export interface BalanceHourRow extends Balance {
  readonly network_id: number;
  readonly vendor: string;
  readonly hour_ms: number;
}

interface BalanceFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  /** Hours that begin here or later, ms since 1970. */
  readonly from?: number | undefined;
  /** Hours that begin before. */
  readonly to?: number | undefined;
  /** These hours alone. */
  readonly hours?: readonly number[] | undefined;
}

const balanceCondition = ({ network, vendor, from, to, hours }: BalanceFilter): Sql =>
  joinWithAnd([
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    from === undefined ? undefined : sql`hour >= ${instantSql(from)}`,
    to === undefined ? undefined : sql`hour < ${instantSql(to)}`,
    hours === undefined
      ? undefined
      : sql`hour IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${bind('Array(Int64)', hours)}), 'UTC'))`,
  ]);

const countColumns = sql`received, stored, duplicate, conflict, quarantined, late, clock_ahead`;

/** The newest hours first. */
export const hoursQuery = (wanted: BalanceFilter, limit: number): Sql => sql`
SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${countColumns}
FROM ${liveViewName(vendorBalance)} WHERE ${balanceCondition(wanted)}
ORDER BY hour DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

/** All hours together, and how many they are. */
interface BalanceTotals extends Balance {
  readonly hours: number;
}

const countNames = ['received', 'stored', 'duplicate', 'conflict', 'quarantined', 'late', 'clock_ahead'] as const;
const totalsExpression = `tuple(${countNames.map((name) => `sum(h.${name}) OVER ()`).join(', ')}, count() OVER ())`;

/** An hour, and beside it all that were asked for: figures in the order of `names`, then how many hours. */
interface BalanceHourWithTotals extends BalanceHourRow {
  readonly totals: readonly number[];
}

/**
 * The newest hours, and on each of them what all together are: told by one query, so that lines and sum agree also while events
 * are being projected.
 */
const hoursWithTotalsQuery = (wanted: BalanceFilter, limit: number): Sql => sql`
SELECT *, ${new Sql([totalsExpression], [])} AS together
FROM (SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${countColumns}
  FROM ${liveViewName(vendorBalance)} WHERE ${balanceCondition(wanted)}) AS h
ORDER BY hour_ms DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

/** Nothing of everything where there is no hour. */
const totalsOf = ([first]: readonly BalanceHourWithTotals[]): BalanceTotals => {
  const figuresOf = Object.fromEntries(countNames.map((name, at) => [name, first?.totals[at] ?? 0]));
  return { ...(figuresOf as Record<(typeof countNames)[number], number>), hours: first?.totals.at(-1) ?? 0 };
};

const count = z.int().min(0);

const countFields = {
  received: count,
  stored: count,
  duplicate: count,
  conflict: count,
  quarantined: count,
  late: count.describe('Of the stored.'),
  clock_ahead: count.describe('Of the stored.'),
};
export const BalanceHour = z
  .object({ hour: Instant, network_id: z.int().min(1), vendor: z.string(), ...countFields })
  .meta({ id: 'BalanceOfHour' });

const BalanceResponse = z
  .object({
    since: Instant,
    until: Instant.nullable(),
    sum: z.object({ ...countFields, hours: count }).nullable(),
    hours: z.array(BalanceHour).describe('The newest first.'),
  })
  .meta({ id: 'Balance' });

/** An hour of a vendor's balance, as operators are told. */
export const toBalanceHour = ({ network_id, vendor, hour_ms, ...figures }: BalanceHourRow) => ({
  hour: instantOf(hour_ms),
  network_id,
  vendor,
  ...figures,
});

const dayMs = 86_400_000;

const BalanceQuery = z.strictObject({
  network: networkParameter.optional(),
  vendor: vendorParameter.optional(),
  since: instantParameter.optional(),
  until: instantParameter.optional(),
  limit: listLimit(1_000),
});

export const balanceRoute = ({ reader }: Pick<OpsDependencies, 'reader'>, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/balance',
  summary:
    'What became of what vendors sent, by hour of receipt and together; of the last 24 h unless asked otherwise.',
  operationId: 'getBalance',
  access: 'operator',
  examples: [{ name: 'lastDay', query: { network: 1 } }],
  schemas: { query: BalanceQuery, responses: { 200: BalanceResponse } },
  async handle({ query, signal }) {
    const { since, until, limit, ...of } = parseQuery(BalanceQuery, query);
    const from = since ?? (until ?? Date.now()) - dayMs;
    const wanted = { ...of, from, to: until };
    const hours = await reader.rows<BalanceHourWithTotals>(hoursWithTotalsQuery(wanted, limit), { signal });
    if (hours.length === 0) await rejectUnknownFilter(known, of);
    return jsonResponse(200, {
      since: instantOf(from),
      until: until === undefined ? null : instantOf(until),
      sum: totalsOf(hours),
      hours: hours.map(({ totals: _, ...hour }) => toBalanceHour(hour)),
    });
  },
});
