import { randomUUID } from 'node:crypto';
import { formatItemId, mappingStream, QuarantineRetried } from '@popsvc/contracts/events';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { QUARANTINE_CODES } from '@popsvc/contracts/vocabulary';
import { bind, type ClickHouseReader, joinWithAnd, liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import { jsonResponse, noParameters, parseBody, parseQuery, type Route, sequencePages } from '@popsvc/http-kit/server';
import {
  type QuarantinedEventRow,
  quarantinedEventsQuery,
  type QuarantineReasonRow,
  quarantineReasonsQuery,
} from '@popsvc/read-models/queries';
import { quarantine } from '@popsvc/read-models/tables';
import { z } from 'zod';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { appendEvents } from '../requests/append-events.ts';
import {
  networkIdField,
  nextAfter,
  pageParameters,
  vendorField,
  type VendorFilter,
  vendorFilterConditions,
  vendorFilterParameters,
  vendorParameter,
} from '../requests/parameters.ts';

const shownCharacters = 10_000;

interface QuarantineFilter extends VendorFilter {
  readonly schemaVersion?: string | undefined;
}

/** The part of a query after FROM. */
const waitingEvents = ({ schemaVersion, ...filter }: QuarantineFilter, after?: { readonly sequence: string }): Sql =>
  sql`${liveViewName(quarantine)} WHERE ${joinWithAnd([
    sql`state = 'waiting'`,
    ...vendorFilterConditions(filter),
    schemaVersion === undefined ? undefined : sql`schema_version = ${bind('String', schemaVersion)}`,
    after && sql`pos < ${bind('UInt64', after.sequence)}`,
  ])}`;

const toReason = ({ oldest_ms, newest_ms, ...reason }: QuarantineReasonRow) => ({
  ...reason,
  oldest_received_at: instantOf(oldest_ms),
  newest_received_at: instantOf(newest_ms),
});

const toWaitingEvent = (row: QuarantinedEventRow) => {
  const { sequence, event_id, received_ms, job_id, job_row, content, ...waiting } = row;
  return {
    position: formatItemId(BigInt(sequence)),
    ...waiting,
    raw: content,
    event_id: event_id || null,
    received_at: instantOf(received_ms),
    job_id: job_id || null,
    job_row: job_row || null,
  };
};

const count = z.int().min(0);

const schemaVersionField = z.string().describe("The vendor's name for the schema of the events.");
const reasonCodeField = z.string().describe(`Code of the reason: ${QUARANTINE_CODES.join(', ')}.`);

const QuarantineResponse = z
  .object({
    reasons: z
      .array(
        z.object({
          network_id: networkIdField,
          vendor: vendorField,
          schema_version: schemaVersionField,
          code: reasonCodeField,
          events: count.describe('Events and rows of files that wait for this reason.'),
          latest_reason: z.string().describe('Reason of the newest of them: the field and its problem.'),
          oldest_received_at: Instant.describe('When the oldest of them was received.'),
          newest_received_at: Instant.describe('When the newest of them was received.'),
        }),
      )
      .describe('Counts over all pages, most frequent first.'),
    events: z
      .array(
        z.object({
          position: z.string().describe('In the log: `position:index`.'),
          network_id: networkIdField,
          vendor: vendorField,
          schema_version: schemaVersionField,
          event_id: z.string().nullable().describe('Null while no mapping has found one.'),
          received_at: Instant.describe('When the event or row was received.'),
          code: reasonCodeField,
          reason: z.string().describe('The field and its problem.'),
          job_id: z.string().nullable().describe('Bulk job of the row; null for a pushed event.'),
          job_row: z.int().nullable().describe('Row of the bulk file, from 1; null for a pushed event.'),
          raw: z.string().describe('JSON as sent, truncated if very long.'),
          raw_bytes: count.describe('Length of the whole JSON in bytes.'),
        }),
      )
      .describe('Newest first.'),
    next_after: nextAfter,
  })
  .meta({ id: 'Quarantine' });

const QuarantineQuery = z.strictObject({
  ...vendorFilterParameters,
  schema_version: z.string().min(1).max(1_000).optional(),
  ...pageParameters(sequencePages, 20),
});

interface QuarantineDependencies {
  readonly reader: ClickHouseReader;
  readonly store: EventStore;
}

const listQuarantineRoute = ({ reader }: QuarantineDependencies, registryLog: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/quarantine',
  summary: 'Events that wait for a mapping or for the registry: counts by reason, and the newest events.',
  operationId: 'listQuarantine',
  access: 'viewer',
  examples: [{ name: 'newest', query: { limit: 5 } }],
  schemas: { query: QuarantineQuery, responses: { 200: QuarantineResponse } },
  async handle({ query, signal }) {
    const { schema_version: schemaVersion, limit, after, ...of } = parseQuery(QuarantineQuery, query);
    const wanted = { ...of, schemaVersion };
    const [reasons, waiting] = await Promise.all([
      reader.rows<QuarantineReasonRow>(quarantineReasonsQuery(waitingEvents(wanted)), { signal }),
      reader.rows<QuarantinedEventRow>(quarantinedEventsQuery(waitingEvents(wanted, after), limit, shownCharacters), {
        signal,
      }),
    ]);
    if (reasons.length === 0) await rejectUnknownFilter(registryLog, of);
    const page = sequencePages.cutPage(waiting, limit);
    return jsonResponse(200, {
      reasons: reasons.map(toReason),
      events: page.rows.map(toWaitingEvent),
      next_after: page.next,
    });
  },
});

const RetryQuarantineRequest = z.strictObject({
  network: z.int().positive().describe('Network of the vendor.'),
  vendor: vendorParameter.describe('Code of the vendor.'),
  schema_version: z.string().min(1).max(200).describe("The vendor's name for the schema of the events."),
});
const RetryQuarantineResponse = RetryQuarantineRequest.extend({
  waiting: z.int().min(0).describe('Number of quarantined events at the time of the request.'),
}).meta({ id: 'QuarantineTried' });

const retryQuarantineRoute = ({ store, reader }: QuarantineDependencies): Route => ({
  method: 'post',
  path: '/ops/v1/quarantine/retry',
  summary: "Retries the quarantined events of a vendor's own schema, for example with a newer release.",
  operationId: 'retryQuarantine',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'aSchema', body: { network: 1, vendor: 'acme', schema_version: 'flat-1' } }],
  schemas: { query: noParameters, body: RetryQuarantineRequest, responses: { 200: RetryQuarantineResponse } },
  async handle({ body, requestId, signal, log }) {
    const { network, vendor, schema_version } = parseBody(RetryQuarantineRequest, body);
    const wanted = { network, vendor, schemaVersion: schema_version };
    const reasons = await reader.rows<QuarantineReasonRow>(quarantineReasonsQuery(waitingEvents(wanted)), { signal });
    const waiting = reasons.reduce((sum, { events }) => sum + events, 0);
    const { type, version: schemaVersion } = QuarantineRetried;
    const metadata = { schemaVersion, receivedAt: instantOf(Date.now()), network, vendor, requestId };
    if (waiting > 0)
      await appendEvents(store, mappingStream(vendor), [{ id: randomUUID(), type, data: wanted, metadata }], 'any');
    log.info({ ...wanted, waiting }, 'quarantined events retried');
    return jsonResponse(200, { network, vendor, schema_version, waiting });
  },
});

export const quarantineRoutes = (dependencies: QuarantineDependencies, registryLog: RegistryLog): readonly Route[] => [
  listQuarantineRoute(dependencies, registryLog),
  retryQuarantineRoute(dependencies),
];
