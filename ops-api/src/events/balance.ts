import { WAITING_REASONS } from '@popsvc/contracts/responses';
import { Instant, instantOf } from '@popsvc/contracts/time';
import {
  bind,
  type ClickHouseReader,
  instantSql,
  joinWithAnd,
  liveViewName,
  type Sql,
  sql,
  sqlText,
} from '@popsvc/platform/clickhouse';
import { instantParameter, jsonResponse, parseQuery, type Route } from '@popsvc/http-kit/server';
import { type Postgres, readExhaustedNetworks } from '@popsvc/platform/postgres';
import { includesNetwork, type PendingNetworks, pendingView, vendorBalance } from '@popsvc/read-models/tables';
import { z } from 'zod';
import {
  listLimit,
  networkIdField,
  vendorField,
  type VendorFilter,
  vendorFilterConditions,
  vendorFilterParameters,
} from '../requests/parameters.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';

const countNames = ['received', 'stored', 'duplicate', 'conflict', 'quarantined', 'late', 'clock_ahead'] as const;

/** Events in `late` and `clock_ahead` also count as stored. */
type Balance = Readonly<Record<(typeof countNames)[number], number>>;

/** `totals` contains the sums over all matching hours, in the order of `countNames`, then the number of these hours. */
export interface BalanceHourRow extends Balance {
  readonly network_id: number;
  readonly vendor: string;
  readonly hour_ms: number;
  readonly totals: readonly number[];
}

interface BalanceFilter extends VendorFilter {
  /** In ms since 1970, inclusive. */
  readonly from?: number | undefined;
  /** In ms since 1970, exclusive. */
  readonly to?: number | undefined;
  /** Starts of hours, in ms since 1970. */
  readonly hours?: readonly number[] | undefined;
}

const balanceCondition = ({ from, to, hours, ...filter }: BalanceFilter): Sql =>
  joinWithAnd([
    ...vendorFilterConditions(filter),
    from === undefined ? undefined : sql`hour >= ${instantSql(from)}`,
    to === undefined ? undefined : sql`hour < ${instantSql(to)}`,
    hours === undefined
      ? undefined
      : sql`hour IN (SELECT fromUnixTimestamp64Milli(arrayJoin(${bind('Array(Int64)', hours)}), 'UTC'))`,
  ]);

const countColumns = sqlText(countNames.join(', '));
const totals = sqlText(`tuple(${countNames.map((name) => `sum(h.${name}) OVER ()`).join(', ')}, count() OVER ())`);

/** One query returns the hours and the sums, so they are consistent even while events are being projected. */
export const hoursQuery = (wanted: BalanceFilter, limit: number): Sql => sql`
SELECT *, ${totals} AS totals
FROM (SELECT network_id, vendor, toUnixTimestamp64Milli(hour) AS hour_ms, ${countColumns}
  FROM ${liveViewName(vendorBalance)} WHERE ${balanceCondition(wanted)}) AS h
ORDER BY hour_ms DESC, network_id, vendor LIMIT ${bind('UInt64', limit)}`;

const totalsOf = ([first]: readonly BalanceHourRow[]) => ({
  ...(Object.fromEntries(countNames.map((name, at) => [name, first?.totals[at] ?? 0])) as Balance),
  hours: first?.totals.at(-1) ?? 0,
});

const count = z.int().min(0);

const countFields = {
  received: count.describe('Stored, duplicate, conflict and quarantined together.'),
  stored: count.describe('First receipts of their event id: these are the plays.'),
  duplicate: count.describe('Received again with the same content; counted once in reports.'),
  conflict: count.describe('Received again with other content; the first receipt counts.'),
  quarantined: count.describe('Waiting until a mapping can convert them to plays.'),
  late: count.describe('Of the stored: received more than 14 days after the play.'),
  clock_ahead: count.describe('Of the stored: the play starts more than 60 s after its receipt.'),
};
export const BalanceHour = z
  .object({
    hour: Instant.describe('Start of the hour (UTC) of receipt.'),
    network_id: networkIdField,
    vendor: vendorField,
    ...countFields,
    waiting: z
      .enum(WAITING_REASONS)
      .optional()
      .describe(
        'derived_row_budget: the network has used its rows of today; reports lack events of this hour until tomorrow.',
      ),
  })
  .meta({ id: 'BalanceOfHour' });

const BalanceResponse = z
  .object({
    since: Instant.describe('Only hours that begin at or after this time.'),
    until: Instant.nullable().describe('Only hours that begin before this time; null: no limit.'),
    sum: z
      .object({ ...countFields, hours: count.describe('Number of summed hours, counted for each network and vendor.') })
      .nullable()
      .describe('Sums over all matching hours, also those that are not listed.'),
    hours: z.array(BalanceHour).describe('Newest first.'),
  })
  .meta({ id: 'Balance' });

export const toBalanceHour = ({ network_id, vendor, hour_ms, totals: _, ...counts }: BalanceHourRow) => ({
  hour: instantOf(hour_ms),
  network_id,
  vendor,
  ...counts,
});

const dayMs = 86_400_000;

const BalanceQuery = z.strictObject({
  ...vendorFilterParameters,
  since: instantParameter.optional(),
  until: instantParameter.optional(),
  limit: listLimit(1_000),
});

const hourMs = 3_600_000;

/** Networks that have used their row budget of today. The value: up to when their rows of `coffee` are derived, in ms since 1970. */
const readWaitingNetworks = async ({
  reader,
  postgres,
  shardCount,
}: BalanceDependencies): Promise<ReadonlyMap<number, number>> => {
  const exhausted = await readExhaustedNetworks(postgres, shardCount);
  if (exhausted.length === 0) return new Map();
  const pending = await reader.rows<PendingRow>(pendingQuery);
  return new Map(
    exhausted.flatMap(({ network }) => {
      const oldest = pending.find((each) => includesNetwork(each, network));
      return oldest ? [[network, oldest.as_of_ms]] : [];
    }),
  );
};

export interface PendingRow extends PendingNetworks {
  readonly as_of_ms: number;
}

export const pendingQuery = sql`
SELECT toFloat64(network_id) AS network, toFloat64(last_network) AS lastNetwork, partitions, shards, toFloat64(toUnixTimestamp64Milli(as_of)) AS as_of_ms
FROM ${liveViewName(pendingView)} WHERE projection = 'coffee' ORDER BY as_of`;

export interface BalanceDependencies {
  readonly reader: ClickHouseReader;
  readonly postgres: Postgres;
  readonly shardCount: number;
}

export const balanceRoute = (dependencies: BalanceDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/balance',
  summary: 'Events by outcome, per hour of receipt and in total; of the last 24 h by default.',
  operationId: 'getBalance',
  access: 'viewer',
  examples: [{ name: 'lastDay', query: { network: 1 } }],
  schemas: { query: BalanceQuery, responses: { 200: BalanceResponse } },
  async handle({ query, signal }) {
    const { since, until, limit, ...filter } = parseQuery(BalanceQuery, query);
    const from = since ?? (until ?? Date.now()) - dayMs;
    const wanted = { ...filter, from, to: until };
    const [hours, waiting] = await Promise.all([
      dependencies.reader.rows<BalanceHourRow>(hoursQuery(wanted, limit), { signal }),
      readWaitingNetworks(dependencies),
    ]);
    const isWaiting = ({ network_id, hour_ms }: BalanceHourRow) =>
      hour_ms + hourMs > (waiting.get(network_id) ?? Infinity);
    if (hours.length === 0) await rejectUnknownFilter(registryLog, filter);
    return jsonResponse(200, {
      since: instantOf(from),
      until: until === undefined ? null : instantOf(until),
      sum: totalsOf(hours),
      hours: hours.map((hour) => ({
        ...toBalanceHour(hour),
        ...(isWaiting(hour) && { waiting: 'derived_row_budget' }),
      })),
    });
  },
});
