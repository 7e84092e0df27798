import { formatItemId } from '@popsvc/contracts/events';
import { Instant } from '@popsvc/contracts/time';
import {
  jsonResponse,
  keysetPages,
  noParameters,
  parseBody,
  parseQuery,
  type Route,
  sequencePattern,
} from '@popsvc/http-kit/server';
import { listParkedEvents, type ParkedEventRecord } from '@popsvc/platform/postgres';
import { projectionNameFormat, projectionNames } from '@popsvc/read-models/generations';
import { z } from 'zod';
import { itemIdParameter, nextAfter, pageParameters } from '../requests/parameters.ts';
import { type ParkedDecisionDependencies, recordParkedDecision } from './decisions.ts';

const ProjectionName = z
  .string()
  .regex(projectionNameFormat, `must be one of ${projectionNames.join(', ')}, with @1of2 for the first of two shards`)
  .describe('Projection, with its shard if there are several.');
const position = z
  .string()
  .describe('Position of the event in the log and index of the item in the event: `position:index`.');

const parkedPages = keysetPages({
  projection: '[a-z0-9@-]{1,50}',
  generation: String.raw`\d{1,9}`,
  sequence: sequencePattern,
});

const ParkedQuery = z.strictObject({
  projection: ProjectionName.optional(),
  state: z.enum(['parked', 'discarded']).optional(),
  ...pageParameters(parkedPages, 100),
});

const projectionField = z.string().describe('The projection, with its shard if there are several.');

const ParkedResponse = z
  .object({
    parked: z
      .array(
        z.object({
          projection: projectionField,
          generation: z.int().describe('Generation of the projection that parked it.'),
          position,
          stream: z.string().describe('Stream of its event.'),
          type: z.string().describe('Type of its event.'),
          state: z.enum(['parked', 'discarded']).describe('discarded: by an operator, also in later generations.'),
          error: z.string().describe('The error of the last attempt.'),
          attempts: z.int().min(1).describe('How often the projection tried it.'),
          decision_pending: z.boolean().describe('Whether a decision is recorded but not yet applied.'),
          reason: z.string().nullable().describe('Why it was discarded.'),
          parked_at: Instant.describe('When it was parked.'),
          tried_at: Instant.describe('When it was last tried.'),
          raw: z.string().describe('The item and the metadata of its event as JSON, truncated if very long.'),
        }),
      )
      .describe('By projection, generation and position in the log.'),
    next_after: nextAfter,
  })
  .meta({ id: 'ParkedEvents' });

const eventSelection = {
  projection: ProjectionName,
  positions: z.array(itemIdParameter).min(1).max(500).optional().describe('Positions of the items, as listed.'),
  all: z.literal(true).optional().describe('Selects all parked events; excludes `positions`.'),
};
const hasOneSelection = ({ positions, all }: { positions?: unknown; all?: unknown }): boolean =>
  (positions === undefined) !== (all === undefined);
const selectionError = { path: ['positions'], message: 'must be given, or all: true' };

const RetryParkedRequest = z.strictObject(eventSelection).refine(hasOneSelection, selectionError);
const DiscardParkedRequest = z
  .strictObject({ ...eventSelection, reason: z.string().trim().min(1).max(1_000).describe('Stored with the events.') })
  .refine(hasOneSelection, selectionError);

const ParkedDecided = z
  .object({
    projection: projectionField,
    events: z.int().min(0).describe('Number of events.'),
  })
  .meta({ id: 'ParkedDecided' });

const maxRawCharacters = 10_000;

const toListedParkedEvent = ({ raw, sequence, parkedAt, triedAt, isDecisionPending, ...event }: ParkedEventRecord) => ({
  ...event,
  position: formatItemId(BigInt(sequence)),
  decision_pending: isDecisionPending,
  parked_at: parkedAt.toISOString(),
  tried_at: triedAt.toISOString(),
  raw: raw.slice(0, maxRawCharacters),
});

const listParkedRoute = ({ postgres }: Pick<ParkedDecisionDependencies, 'postgres'>): Route => ({
  method: 'get',
  path: '/ops/v1/parked',
  summary: 'Parked items of events: those that could not be projected, with the error and their content.',
  operationId: 'listParked',
  access: 'viewer',
  examples: [{ name: 'ofCoffee', query: { projection: 'coffee', state: 'parked' } }],
  schemas: { query: ParkedQuery, responses: { 200: ParkedResponse } },
  async handle({ query }) {
    const { limit, ...wanted } = parseQuery(ParkedQuery, query);
    const found = await listParkedEvents(postgres, { ...wanted, limit: limit + 1 });
    const page = parkedPages.cutPage(found, limit);
    return jsonResponse(200, { parked: page.rows.map(toListedParkedEvent), next_after: page.next });
  },
});

const retryParkedRoute = (dependencies: ParkedDecisionDependencies): Route => ({
  method: 'post',
  path: '/ops/v1/parked/retry',
  summary: 'Retries parked events in log order.',
  operationId: 'retryParked',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'all', body: { projection: 'coffee', all: true } }],
  schemas: { query: noParameters, body: RetryParkedRequest, responses: { 200: ParkedDecided } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ body, requestId, log }) {
    const { projection, positions: sequences } = parseBody(RetryParkedRequest, body);
    const events = await recordParkedDecision(dependencies, { projection, sequences, requestId });
    log.info({ projection, events }, 'retry of parked events requested');
    return jsonResponse(200, { projection, events });
  },
});

const discardParkedRoute = (dependencies: ParkedDecisionDependencies): Route => ({
  method: 'post',
  path: '/ops/v1/parked/discard',
  summary: 'Discards events permanently: later generations skip them too.',
  description:
    'Also discards an event that is not parked, if the error of the projection or of its last replay names its position.',
  operationId: 'discardParked',
  access: 'operator',
  body: 'json',
  examples: [
    { name: 'one', body: { projection: 'coffee', positions: ['73142:3'], reason: 'a test, sent by mistake' } },
  ],
  schemas: { query: noParameters, body: DiscardParkedRequest, responses: { 200: ParkedDecided } },
  errorCodes: ['NOT_FOUND', 'CONFLICT'],
  async handle({ body, requestId, log }) {
    const { projection, positions: sequences, reason } = parseBody(DiscardParkedRequest, body);
    const events = await recordParkedDecision(dependencies, { projection, sequences, reason, requestId });
    log.info({ projection, events, reason }, 'discarding of parked events requested');
    return jsonResponse(200, { projection, events });
  },
});

export const parkedRoutes = (dependencies: ParkedDecisionDependencies): readonly Route[] => [
  listParkedRoute(dependencies),
  retryParkedRoute(dependencies),
  discardParkedRoute(dependencies),
];
