import { jsonResponse, type Route } from '@popsvc/platform/http';
import { listParkedEvents, type ParkedEventRecord } from '@popsvc/platform/postgres';
import { parseBody, checkedQuery, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import { recordParkedDecision } from './decide-parked.ts';
import { DiscardAsked, ParkedAsked, ParkedDecided, ParkedTold, RetryAsked } from './parked.schemas.ts';

/** Characters of an event that a list shows. */
const shown = 10_000;

const told = ({ raw, parkedAt, triedAt, isDecisionPending, ...event }: ParkedEventRecord) => ({
  asked: isDecisionPending,
  ...event,
  parked_at: parkedAt.toISOString(),
  tried_at: triedAt.toISOString(),
  raw: raw.slice(0, shown),
});

const cursorOf = ({ projection, generation, position }: ParkedEventRecord): string =>
  `${projection}.${generation}.${position}`;

const afterOf = (cursor: string) => {
  const [projection = '', generation = '', position = ''] = cursor.split('.');
  return { projection, generation: Number(generation), position };
};

const list = ({ postgres }: Pick<OpsDependencies, 'postgres'>): Route => ({
  method: 'get',
  path: '/ops/v1/parked',
  summary: 'Events that could not be projected and were set aside: why, and what they hold.',
  operationId: 'listParked',
  access: 'operator',
  examples: [{ name: 'ofCoffee', query: { projection: 'coffee', state: 'parked' } }],
  schemas: { query: ParkedAsked, responses: { 200: ParkedTold } },
  async handle({ query }) {
    const { cursor, ...wanted } = checkedQuery(ParkedAsked, query);
    const after = cursor === undefined ? undefined : afterOf(cursor);
    const found = await listParkedEvents(postgres, { ...wanted, limit: wanted.limit + 1, after });
    const page = found.slice(0, wanted.limit);
    const last = found.length > page.length ? page.at(-1) : undefined;
    return jsonResponse(200, { parked: page.map(told), next_cursor: last ? cursorOf(last) : null });
  },
});

const retry = (parts: Pick<OpsDependencies, 'postgres' | 'store' | 'declarations'>): Route => ({
  method: 'post',
  path: '/ops/v1/parked/retry',
  summary: 'Has parked events projected, in the order of the log; of a stream whose order matters all that is parked.',
  operationId: 'retryParked',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'all', body: { projection: 'coffee', all: true } }],
  schemas: { query: noParameters, body: RetryAsked, responses: { 200: ParkedDecided } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ body, query, requestId, log }) {
    switches(query, []);
    const { projection, positions } = parseBody(RetryAsked, body);
    const events = await recordParkedDecision(parts, { projection, positions, requestId });
    log.info({ projection, events }, 'parked events are tried again');
    return jsonResponse(200, { projection, events });
  },
});

const discard = (parts: Pick<OpsDependencies, 'postgres' | 'store' | 'declarations'>): Route => ({
  method: 'post',
  path: '/ops/v1/parked/discard',
  summary: 'Has events passed over for good, by every generation that is built later too.',
  operationId: 'discardParked',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'one', body: { projection: 'coffee', positions: ['73142'], reason: 'a test, sent by mistake' } }],
  schemas: { query: noParameters, body: DiscardAsked, responses: { 200: ParkedDecided } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ body, query, requestId, log }) {
    switches(query, []);
    const { projection, positions, reason } = parseBody(DiscardAsked, body);
    const events = await recordParkedDecision(parts, { projection, positions, reason, requestId });
    log.info({ projection, events, reason }, 'events are discarded');
    return jsonResponse(200, { projection, events });
  },
});

export const parkedRoutes = (parts: OpsDependencies): readonly Route[] => [list(parts), retry(parts), discard(parts)];
