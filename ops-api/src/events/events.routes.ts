import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { checkedQuery } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { instantParameter, listLimit, networkParameter, positionParameter, vendorParameter } from '../parameters.ts';
import { refuseUnknown } from '../registry/refuse-unknown.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { balanceRoute } from './balance.route.ts';
import { ConflictsTold, QuarantineTold, ShownEvent } from './events.schemas.ts';
import { type ConflictFound, conflictsQuery } from './conflicts.query.ts';
import { type ReasonFound, reasonsQuery, type WaitingFound, waitingQuery } from './quarantine.query.ts';
import { rawEvents } from './raw-events.ts';
import { retryQuarantineRoute } from './retry-quarantine.route.ts';
import { showEvent } from './show-event.ts';
import { toldConflict } from './told-conflict.ts';
import { toldReason, toldWaiting } from './told-waiting.ts';

const whose = { network: networkParameter.optional(), vendor: vendorParameter.optional() };
const dayMs = 86_400_000;

/** Beside the path: an id may be made of anything, and clients take paths of dots for other paths. */
const Shown = z.strictObject({ id: z.string().min(1).max(1_000), ...whose });
const Conflicts = z.strictObject({
  ...whose,
  since: instantParameter.optional(),
  limit: listLimit(20),
  before: positionParameter.optional(),
});
const Quarantine = z.strictObject({
  ...whose,
  schema_version: z.string().min(1).max(1_000).optional(),
  limit: listLimit(20),
  before: positionParameter.optional(),
});
/** Where the next page begins; null on the last. */
const nextBefore = (rows: readonly { position: string }[], limit: number): string | null =>
  rows.length < limit ? null : (rows.at(-1)?.position ?? null);

const show = ({ reader, store }: OpsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/events',
  summary: 'Everything that is known of an event, with its content as the log holds it.',
  operationId: 'showEvent',
  access: 'operator',
  examples: [{ name: 'anEvent', query: { id: 'demo-play-1' } }],
  schemas: { query: Shown, responses: { 200: ShownEvent } },
  errorCodes: ['NOT_FOUND'],
  async handle({ query, signal }) {
    const { id: eventId, ...of } = checkedQuery(Shown, query);
    return jsonResponse(200, await showEvent({ reader, store, signal }, { eventId, ...of }));
  },
});

const listConflicts = ({ reader, store }: OpsDependencies, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/conflicts',
  summary:
    'Events whose id came again with other content, the newest first; of the last 31 days unless asked otherwise.',
  operationId: 'listConflicts',
  access: 'operator',
  examples: [{ name: 'ofTheDemoVendor', query: { network: 1, vendor: 'demo', since: '2026-08-01T00:00:00Z' } }],
  schemas: { query: Conflicts, responses: { 200: ConflictsTold } },
  async handle({ query, signal }) {
    const asked = checkedQuery(Conflicts, query);
    const since = asked.since ?? Date.now() - 31 * dayMs;
    const found = await reader.rows<ConflictFound>(conflictsQuery({ ...asked, since }), { signal });
    if (found.length === 0) await refuseUnknown(known, asked);
    const raws = await rawEvents(
      store,
      found.flatMap(({ position, first_position }) => [position, first_position]),
    );
    return jsonResponse(200, {
      since: instantOf(since),
      conflicts: found.map((conflict) => toldConflict(conflict, raws)),
      next_before: nextBefore(found, asked.limit),
    });
  },
});

const listQuarantine = ({ reader }: OpsDependencies, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/quarantine',
  summary: 'Events that wait for a mapping or for the registry: why, counted, and the newest of them.',
  operationId: 'listQuarantine',
  access: 'operator',
  examples: [{ name: 'newest', query: { limit: 5 } }],
  schemas: { query: Quarantine, responses: { 200: QuarantineTold } },
  async handle({ query, signal }) {
    const { schema_version: schemaVersion, limit, before, ...of } = checkedQuery(Quarantine, query);
    const wanted = { ...of, schemaVersion };
    const [reasons, waiting] = await Promise.all([
      reader.rows<ReasonFound>(reasonsQuery(wanted), { signal }),
      reader.rows<WaitingFound>(waitingQuery(wanted, limit, before), { signal }),
    ]);
    if (reasons.length === 0) await refuseUnknown(known, of);
    return jsonResponse(200, {
      reasons: reasons.map(toldReason),
      events: waiting.map(toldWaiting),
      next_before: nextBefore(waiting, limit),
    });
  },
});

export const eventRoutes = (parts: OpsDependencies, known: RegistryLog): readonly Route[] => [
  show(parts),
  listConflicts(parts, known),
  listQuarantine(parts, known),
  retryQuarantineRoute(parts),
  balanceRoute(parts, known),
];
