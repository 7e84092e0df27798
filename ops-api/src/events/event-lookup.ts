import { ApiError } from '@popsvc/contracts/errors';
import { formatItemId } from '@popsvc/contracts/events';
import { EVENT_STATUSES, RECEIPT_OUTCOMES } from '@popsvc/contracts/responses';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { joinWithAnd, bind, liveViewName, type ClickHouseReader, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { jsonResponse, parseQuery, type Route } from '@popsvc/platform/http';
import { classifyReceipts } from '@popsvc/read-models/queries';
import { coffee, plays, quarantine } from '@popsvc/read-models/tables';
import { z } from 'zod';
import { vendorFilterParameters } from '../requests/parameters.ts';
import { BalanceHour, type BalanceHourRow, hoursQuery, toBalanceHour } from './balance.ts';
import { readRawItems } from './raw-items.ts';

/** Selects an event by its id, optionally only in one network or from one vendor. */
interface EventFilter {
  readonly eventId: string;
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
}

/** Maximum number of receipts listed per network and vendor. Further receipts are only counted. */
const maxReceiptsPerVendor = 100;
/** Maximum number of receipts listed across all networks. */
const maxReceipts = 1_000;

const eventCondition = ({ eventId, network, vendor }: EventFilter): Sql =>
  joinWithAnd([
    network === undefined ? undefined : sql`network_id = ${bind('UInt64', network)}`,
    vendor === undefined ? undefined : sql`vendor = ${bind('String', vendor)}`,
    sql`event_id = ${bind('String', eventId)}`,
  ]);

/** The columns that play receipts and quarantined receipts have in common. Times are in ms since 1970. */
interface ReceiptRow {
  readonly network_id: number;
  readonly vendor: string;
  readonly sequence: string;
  readonly received_ms: number;
  readonly recorded_ms: number;
}

interface PlayRow extends ReceiptRow {
  readonly outcome: 'stored' | 'duplicate' | 'conflict';
  readonly late: number;
  readonly clock_ahead: number;
  readonly total: number;
  readonly conflicts: number;
}

interface QuarantinedRow extends ReceiptRow {
  readonly state: 'waiting' | 'released';
  readonly schema_version: string;
  readonly code: string;
  readonly reason: string;
  readonly tried_ms: number;
  readonly mapping_version: number;
  readonly waiting: number;
}

const receiptColumns = sql`network_id, vendor, toString(pos) AS sequence, toUnixTimestamp64Milli(received_at) AS received_ms,
  toUnixTimestamp64Milli(recorded_at) AS recorded_ms`;
const firstReceipts = sql`ORDER BY network_id, vendor, pos
  LIMIT ${bind('UInt64', maxReceiptsPerVendor)} BY network_id, vendor LIMIT ${bind('UInt64', maxReceipts)}`;

const playReceiptsQuery = (wanted: EventFilter): Sql => sql`
SELECT ${receiptColumns}, outcome, late, clock_ahead, count() OVER same AS total, countIf(outcome = 'conflict') OVER same AS conflicts
FROM (${classifyReceipts(sql`${liveViewName(plays)} WHERE ${eventCondition(wanted)}`)})
WINDOW same AS (PARTITION BY network_id, vendor)
${firstReceipts}`;

const quarantinedReceiptsQuery = (wanted: EventFilter): Sql => sql`
SELECT ${receiptColumns}, state, schema_version, code, reason, toUnixTimestamp64Milli(tried_at) AS tried_ms, mapping_version,
  countIf(state = 'waiting') OVER (PARTITION BY network_id, vendor) AS waiting
FROM ${liveViewName(quarantine)} WHERE ${eventCondition(wanted)}
${firstReceipts}`;

interface CoffeeSummaryRow {
  readonly network_id: number;
  readonly vendor: string;
  readonly rows: number;
  readonly pop_types: readonly string[];
  readonly projected_ms: number;
}

/**
 * Selects a summary of an event's rows in the `coffee` dataset. Finds the rows by network and by the play's start time, which are
 * the first two columns of the table's sort key.
 */
const coffeeSummaryQuery = (wanted: EventFilter): Sql => sql`
SELECT network_id, vendor, count() AS rows, arraySort(groupUniqArray(pop_type)) AS pop_types,
  max(toUnixTimestamp64Milli(projected_at)) AS projected_ms
FROM ${liveViewName(coffee)}
WHERE (network_id, ts) IN (SELECT network_id, played_at FROM ${liveViewName(plays)} WHERE ${eventCondition(wanted)}) AND ${eventCondition(wanted)}
GROUP BY network_id, vendor`;

const receiptFields = ({ sequence, received_ms, recorded_ms }: PlayRow | QuarantinedRow) => ({
  sequence,
  received_at: instantOf(received_ms),
  recorded_at: instantOf(recorded_ms),
});

const toPlayReceipt = (play: PlayRow, released: QuarantinedRow | undefined) => ({
  ...receiptFields(play),
  outcome: play.outcome,
  late: play.late === 1,
  clock_ahead: play.clock_ahead === 1,
  ...(released && {
    released_at: instantOf(released.tried_ms),
    released_by_mapping: released.mapping_version,
    waited_because: released.reason,
  }),
});

const toWaitingReceipt = (waiting: QuarantinedRow) => ({
  ...receiptFields(waiting),
  outcome: 'quarantined' as const,
  late: false,
  clock_ahead: false,
  schema_version: waiting.schema_version,
  code: waiting.code,
  reason: waiting.reason,
});

/**
 * Merges the receipts of an event id from one vendor, in log order. A receipt released from quarantine is in both tables but
 * is listed once.
 */
const mergeReceipts = (plays: readonly PlayRow[], quarantined: readonly QuarantinedRow[]) => {
  const quarantinedAt = new Map(quarantined.map((receipt) => [receipt.sequence, receipt]));
  const isPlay = new Set(plays.map(({ sequence }) => sequence));
  const waiting = quarantined.filter(({ sequence, state }) => state === 'waiting' && !isPlay.has(sequence));
  return [
    ...plays.map((play) => toPlayReceipt(play, quarantinedAt.get(play.sequence))),
    ...waiting.map(toWaitingReceipt),
  ]
    .sort((a, b) => (BigInt(a.sequence) < BigInt(b.sequence) ? -1 : 1))
    .slice(0, maxReceiptsPerVendor);
};

interface EventSources {
  readonly reader: ClickHouseReader;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly signal: AbortSignal;
}

interface VendorEvent {
  readonly network_id: number;
  readonly vendor: string;
  readonly plays: readonly PlayRow[];
  readonly quarantined: readonly QuarantinedRow[];
  readonly coffee: CoffeeSummaryRow | undefined;
}

const hourMs = 3_600_000;

const eventNotFound = (eventId: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `There is no event ${JSON.stringify(eventId.slice(0, 100))}. It may not be projected yet ("popsvc projections list" shows the lag); ` +
      'an event of a vendor schema has no id before a mapping extracts it ("popsvc events quarantine" shows those that wait).',
  );

const findVendorEvents = async (
  { reader, signal }: EventSources,
  wanted: EventFilter,
): Promise<readonly VendorEvent[]> => {
  const [plays, quarantined, coffee] = await Promise.all([
    reader.rows<PlayRow>(playReceiptsQuery(wanted), { signal }),
    reader.rows<QuarantinedRow>(quarantinedReceiptsQuery(wanted), { signal }),
    reader.rows<CoffeeSummaryRow>(coffeeSummaryQuery(wanted), { signal }),
  ]);
  const vendorKey = ({ network_id, vendor }: Pick<VendorEvent, 'network_id' | 'vendor'>) => `${network_id}/${vendor}`;
  const firstReceiptOf = new Map([...plays, ...quarantined].map((receipt) => [vendorKey(receipt), receipt]));
  return [...firstReceiptOf].map(([key, { network_id, vendor }]) => {
    const isOfVendor = (row: Pick<VendorEvent, 'network_id' | 'vendor'>) => vendorKey(row) === key;
    return {
      network_id,
      vendor,
      plays: plays.filter(isOfVendor),
      quarantined: quarantined.filter(isOfVendor),
      coffee: coffee.find(isOfVendor),
    };
  });
};

const describeVendorEvent = async (
  sources: EventSources,
  { network_id, vendor, plays, quarantined, coffee }: VendorEvent,
) => {
  const receipts = mergeReceipts(plays, quarantined);
  const hours = [...new Set(receipts.map(({ received_at }) => Math.floor(Date.parse(received_at) / hourMs) * hourMs))];
  const [balance, raws] = await Promise.all([
    sources.reader.rows<BalanceHourRow>(hoursQuery({ network: network_id, vendor, hours }, hours.length), sources),
    readRawItems(
      sources.store,
      receipts.map(({ sequence }) => sequence),
    ),
  ]);
  const { total = 0, conflicts = 0 } = plays[0] ?? {};
  const { waiting = 0 } = quarantined[0] ?? {};
  return {
    network_id,
    vendor,
    status: total === 0 ? 'quarantined' : coffee ? 'projected' : 'accepted',
    received: total + waiting,
    stored: Math.min(total, 1),
    duplicate: total - Math.min(total, 1) - conflicts,
    conflict: conflicts,
    quarantined: waiting,
    coffee_rows: coffee?.rows ?? 0,
    pop_types: coffee?.pop_types ?? [],
    projected_at: coffee ? instantOf(coffee.projected_ms) : null,
    receipts: receipts.map(({ sequence, ...receipt }) => ({
      position: formatItemId(BigInt(sequence)),
      ...receipt,
      raw: raws.get(sequence) ?? null,
    })),
    balance: balance.map(toBalanceHour),
  };
};

/** Reads everything that is stored about an event id, by network and vendor. Throws NOT_FOUND if nothing is stored. */
const readEvent = async (sources: EventSources, wanted: EventFilter) => {
  const all = await findVendorEvents(sources, wanted);
  if (all.length === 0) throw eventNotFound(wanted.eventId);
  return {
    event_id: wanted.eventId,
    found: await Promise.all(all.map((event) => describeVendorEvent(sources, event))),
  };
};

const count = z.int().min(0);

const RawItemSchema = z
  .object({
    stream: z.string(),
    type: z.string(),
    revision: z.string(),
    data: z.unknown(),
    metadata: z.looseObject({}),
  })
  .describe('The item as stored in the log, with the metadata of its event.');

const ShownReceipt = z.object({
  position: z.string().describe('In the log: `position:index`.'),
  received_at: Instant,
  recorded_at: Instant,
  outcome: z.enum(RECEIPT_OUTCOMES),
  late: z.boolean(),
  clock_ahead: z.boolean(),
  released_at: Instant.optional(),
  released_by_mapping: z.int().optional().describe('Version of the mapping.'),
  waited_because: z.string().optional(),
  schema_version: z.string().optional(),
  code: z.string().optional(),
  reason: z.string().optional(),
  raw: RawItemSchema.nullable(),
});

const ShownEvent = z
  .object({
    event_id: z.string(),
    found: z.array(
      z.object({
        network_id: z.int().min(1),
        vendor: z.string(),
        status: z.enum(EVENT_STATUSES),
        received: count,
        stored: count,
        duplicate: count,
        conflict: count,
        quarantined: count,
        coffee_rows: count,
        pop_types: z.array(z.string()),
        projected_at: Instant.nullable(),
        receipts: z.array(ShownReceipt),
        balance: z.array(BalanceHour).describe('The hours in which it was received.'),
      }),
    ),
  })
  .meta({ id: 'ShownEvent' });

/**
 * The event id is a query parameter, not a part of the path: it may contain any characters, and HTTP clients normalize dot
 * segments in paths.
 */
const ShowEventQuery = z.strictObject({ id: z.string().min(1).max(1_000), ...vendorFilterParameters });

interface ShowEventDependencies {
  readonly reader: ClickHouseReader;
  readonly store: EventStore;
}

export const showEventRoute = ({ reader, store }: ShowEventDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/events',
  summary: 'All that is stored about an event, including its content in the log.',
  operationId: 'showEvent',
  access: 'viewer',
  examples: [{ name: 'anEvent', query: { id: 'demo-play-1' } }],
  schemas: { query: ShowEventQuery, responses: { 200: ShownEvent } },
  errorCodes: ['NOT_FOUND'],
  async handle({ query, signal }) {
    const { id: eventId, ...filter } = parseQuery(ShowEventQuery, query);
    return jsonResponse(200, await readEvent({ reader, store, signal }, { eventId, ...filter }));
  },
});
