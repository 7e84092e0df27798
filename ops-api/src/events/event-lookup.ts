import { ApiError } from '@popsvc/contracts/errors';
import { formatItemId } from '@popsvc/contracts/events';
import { EVENT_STATUSES, maxListedReceipts, RECEIPT_OUTCOMES } from '@popsvc/contracts/responses';
import { Instant, instantMs, instantOf } from '@popsvc/contracts/time';
import { bind, type ClickHouseReader, joinWithAnd, liveViewName, sql } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { jsonResponse, parseQuery, type Route } from '@popsvc/http-kit/server';
import { readStoredEvents, type StoredEvent, type StoredReceipt } from '@popsvc/read-models/queries';
import { z } from 'zod';
import { networkIdField, vendorField, vendorFilterConditions, vendorFilterParameters } from '../requests/parameters.ts';
import { BalanceHour, type BalanceHourRow, hoursQuery, toBalanceHour } from './balance.ts';
import { readRawItems } from './raw-items.ts';

interface EventSources {
  readonly reader: ClickHouseReader;
  readonly store: Pick<EventStore, 'readEventAt'>;
  readonly signal: AbortSignal;
}

const hourMs = 3_600_000;

const eventNotFound = (eventId: string): ApiError =>
  new ApiError(
    'NOT_FOUND',
    `There is no event ${JSON.stringify(eventId.slice(0, 100))}. It may not be projected yet ("popsvc projections list" shows the lag); ` +
      'an event of a vendor schema has no id before a mapping extracts it ("popsvc events quarantine" shows those that wait).',
  );

const toShownReceipt = ({ outcome, quarantined, ...receipt }: StoredReceipt) => ({
  position: formatItemId(BigInt(receipt.sequence)),
  received_at: receipt.receivedAt,
  recorded_at: receipt.recordedAt,
  outcome,
  late: receipt.late,
  clock_ahead: receipt.clockAhead,
  ...(quarantined &&
    (outcome === 'quarantined'
      ? { schema_version: quarantined.schema_version, code: quarantined.code, reason: quarantined.reason }
      : {
          released_at: instantOf(quarantined.tried_ms),
          released_by_mapping: quarantined.mapping_version,
          waited_because: quarantined.reason,
        })),
});

const describeEvent = async (
  sources: EventSources,
  { network_id, vendor, status, counts, receipts, coffee }: StoredEvent,
) => {
  const hours = [...new Set(receipts.map(({ receivedAt }) => Math.floor(instantMs(receivedAt)! / hourMs) * hourMs))];
  const [balance, raws] = await Promise.all([
    sources.reader.rows<BalanceHourRow>(hoursQuery({ network: network_id, vendor, hours }, hours.length), sources),
    readRawItems(
      sources.store,
      receipts.map(({ sequence }) => sequence),
    ),
  ]);
  return {
    network_id,
    vendor,
    status,
    ...counts,
    coffee_rows: coffee?.coffee_rows ?? 0,
    pop_types: coffee?.pop_types ?? [],
    projected_at: coffee ? instantOf(coffee.projected_ms) : null,
    receipts: receipts.map((receipt) => ({ ...toShownReceipt(receipt), raw: raws.get(receipt.sequence) ?? null })),
    balance: balance.map(toBalanceHour),
  };
};

const count = z.int().min(0);

const RawItemSchema = z
  .object({
    stream: z.string().describe('Stream of its event.'),
    type: z.string().describe('Type of its event.'),
    revision: z.string().describe('Revision of its event in the stream.'),
    data: z.unknown().describe('The item, with the fields that all items of its event share.'),
    metadata: z.looseObject({}).describe('Metadata of its event.'),
  })
  .describe('The item as stored in the log, with the metadata of its event.');

const ShownReceipt = z.object({
  position: z.string().describe('In the log: `position:index`.'),
  received_at: Instant.describe('When the service received the request.'),
  recorded_at: Instant.describe('When the event was durably appended to the log.'),
  outcome: z
    .enum(RECEIPT_OUTCOMES)
    .describe('stored: it defines the play; duplicate, conflict: received again with the same or other content.'),
  late: z.boolean().describe('Received more than 14 days after the play.'),
  clock_ahead: z.boolean().describe('The play began more than 60 s after its receipt.'),
  released_at: Instant.optional().describe('When it left quarantine; absent if it never was there or still is.'),
  released_by_mapping: z.int().optional().describe('Version of the mapping.'),
  waited_because: z.string().optional().describe('Why it was in quarantine before its release.'),
  schema_version: z.string().optional().describe("The vendor's name for its schema; only in quarantine."),
  code: z.string().optional().describe('Code of the reason why it is in quarantine; absent otherwise.'),
  reason: z.string().optional().describe('Why it is in quarantine: the field and its problem; absent otherwise.'),
  raw: RawItemSchema.nullable(),
});

const ShownEvent = z
  .object({
    event_id: z.string().describe('As requested.'),
    found: z
      .array(
        z.object({
          network_id: networkIdField,
          vendor: vendorField,
          status: z
            .enum(EVENT_STATUSES)
            .describe('accepted: a play that is not in reports yet; projected: in reports; quarantined: no play yet.'),
          received: count.describe('Receipts with this event id.'),
          stored: count.describe('Receipts that define the play.'),
          duplicate: count.describe('Receipts with the same content as the play.'),
          conflict: count.describe('Receipts with other content than the play.'),
          quarantined: count.describe('Receipts that wait in quarantine.'),
          coffee_rows: count.describe('Rows of the coffee report for the play.'),
          pop_types: z.array(z.string()).describe('Population types of these rows.'),
          projected_at: Instant.nullable().describe('When these rows were projected; null without any.'),
          receipts: z.array(ShownReceipt).describe(`The first ${maxListedReceipts}, in log order.`),
          balance: z.array(BalanceHour).describe('The hours in which it was received.'),
        }),
      )
      .describe('An entry for each network and vendor that sent the id.'),
  })
  .meta({ id: 'ShownEvent' });

/** The id is a query parameter, because it may contain any characters and HTTP clients normalize dot segments in a path. */
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
    const isEvent = [...vendorFilterConditions(filter), sql`event_id = ${bind('String', eventId)}`];
    const found = await readStoredEvents(
      reader,
      {
        rowsOf: (table, condition) => sql`${liveViewName(table)} WHERE ${joinWithAnd([condition, ...isEvent])}`,
      },
      signal,
    );
    if (found.length === 0) throw eventNotFound(eventId);
    const described = found.map((event) => describeEvent({ reader, store, signal }, event));
    return jsonResponse(200, { event_id: eventId, found: await Promise.all(described) });
  },
});
