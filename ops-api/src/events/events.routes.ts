import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import {
  instantParameter,
  listLimit,
  networkParameter,
  parseQuery,
  positionParameter,
  vendorParameter,
} from '../parameters.ts';
import type { OpsDependencies } from '../dependencies.ts';
import { rejectUnknownFilter } from '../registry/checks.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { balanceRoute } from './balance.ts';
import { ConflictsResponse, QuarantineResponse, ShownEvent } from './events.schemas.ts';
import { type ConflictRow, conflictsQuery, toConflict } from './conflicts.ts';
import {
  type ReasonRow,
  reasonsQuery,
  retryQuarantineRoute,
  toReason,
  toWaitingEvent,
  type WaitingEventRow,
  waitingEventsQuery,
} from './quarantine.ts';
import { readRawEvents } from './raw-events.ts';
import { showEvent } from './event-lookup.ts';

const vendorFilter = { network: networkParameter.optional(), vendor: vendorParameter.optional() };
const dayMs = 86_400_000;

/**
 * The id is a query parameter, not part of the path: it may contain any characters, and HTTP clients normalize dot segments in
 * paths.
 */
const ShowEventQuery = z.strictObject({ id: z.string().min(1).max(1_000), ...vendorFilter });
const ConflictsQuery = z.strictObject({
  ...vendorFilter,
  since: instantParameter.optional(),
  limit: listLimit(20),
  before: positionParameter.optional(),
});
const QuarantineQuery = z.strictObject({
  ...vendorFilter,
  schema_version: z.string().min(1).max(1_000).optional(),
  limit: listLimit(20),
  before: positionParameter.optional(),
});
/** The cursor of the next page; null on the last. */
const nextBefore = (rows: readonly { position: string }[], limit: number): string | null =>
  rows.length < limit ? null : (rows.at(-1)?.position ?? null);

const showEventRoute = ({ reader, store }: OpsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/events',
  summary: 'All that is stored about an event, including its content in the log.',
  operationId: 'showEvent',
  access: 'operator',
  examples: [{ name: 'anEvent', query: { id: 'demo-play-1' } }],
  schemas: { query: ShowEventQuery, responses: { 200: ShownEvent } },
  errorCodes: ['NOT_FOUND'],
  async handle({ query, signal }) {
    const { id: eventId, ...of } = parseQuery(ShowEventQuery, query);
    return jsonResponse(200, await showEvent({ reader, store, signal }, { eventId, ...of }));
  },
});

const listConflictsRoute = ({ reader, store }: OpsDependencies, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/conflicts',
  summary: 'Events whose id was sent again with different content, newest first; of the last 31 days by default.',
  operationId: 'listConflicts',
  access: 'operator',
  examples: [{ name: 'ofTheDemoVendor', query: { network: 1, vendor: 'demo', since: '2026-08-01T00:00:00Z' } }],
  schemas: { query: ConflictsQuery, responses: { 200: ConflictsResponse } },
  async handle({ query, signal }) {
    const filter = parseQuery(ConflictsQuery, query);
    const since = filter.since ?? Date.now() - 31 * dayMs;
    const found = await reader.rows<ConflictRow>(conflictsQuery({ ...filter, since }), { signal });
    if (found.length === 0) await rejectUnknownFilter(known, filter);
    const raws = await readRawEvents(
      store,
      found.flatMap(({ position, first_position }) => [position, first_position]),
    );
    return jsonResponse(200, {
      since: instantOf(since),
      conflicts: found.map((conflict) => toConflict(conflict, raws)),
      next_before: nextBefore(found, filter.limit),
    });
  },
});

const listQuarantineRoute = ({ reader }: OpsDependencies, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/quarantine',
  summary: 'Events that wait for a mapping or for the registry: counts by reason, and the newest events.',
  operationId: 'listQuarantine',
  access: 'operator',
  examples: [{ name: 'newest', query: { limit: 5 } }],
  schemas: { query: QuarantineQuery, responses: { 200: QuarantineResponse } },
  async handle({ query, signal }) {
    const { schema_version: schemaVersion, limit, before, ...of } = parseQuery(QuarantineQuery, query);
    const wanted = { ...of, schemaVersion };
    const [reasons, waiting] = await Promise.all([
      reader.rows<ReasonRow>(reasonsQuery(wanted), { signal }),
      reader.rows<WaitingEventRow>(waitingEventsQuery(wanted, limit, before), { signal }),
    ]);
    if (reasons.length === 0) await rejectUnknownFilter(known, of);
    return jsonResponse(200, {
      reasons: reasons.map(toReason),
      events: waiting.map(toWaitingEvent),
      next_before: nextBefore(waiting, limit),
    });
  },
});

export const eventRoutes = (parts: OpsDependencies, known: RegistryLog): readonly Route[] => [
  showEventRoute(parts),
  listConflictsRoute(parts, known),
  listQuarantineRoute(parts, known),
  retryQuarantineRoute(parts),
  balanceRoute(parts, known),
];
