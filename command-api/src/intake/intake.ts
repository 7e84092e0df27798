import { ApiError } from '@popsvc/contracts/errors';
import { responseMessage } from '@popsvc/contracts/responses';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  jsonResponse,
  type JsonResponse,
  type Route,
  type RouteRequest,
  type RouteResponse,
} from '@popsvc/http-kit/server';
import type { Postgres, RequestClaim } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import { z } from 'zod';
import type { Appender } from './appender.ts';
import {
  type AgeLimits,
  type IntakeDefinition,
  maxBodyBytes,
  maxItems,
  parseOuterBody,
  rejectLossyNumbers,
  validateItems,
} from './validation.ts';
import { findMissingChunks } from './earlier-attempts.ts';
import { invalidEvents, toCallerError } from './errors.ts';
import type { EventStoreCircuit } from './event-store-circuit.ts';
import {
  executeOnce,
  findStoredResponse,
  idempotencySchemas,
  readIdempotencyKey,
  readValidateOnly,
} from './idempotency.ts';
import type { IntakeMetrics } from './metrics.ts';
import type { IntakeCounter } from './minute-counts.ts';
import type { RefusalCounts } from './refusal-counts.ts';
import {
  type Chunk,
  createChunks,
  createClaim,
  describeRequest,
  type ReceivedRequest,
  type ValidatedBody,
} from './request-events.ts';
import type { IntakeTimeouts } from './timeouts.ts';

export interface IntakeDependencies {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly circuit: EventStoreCircuit;
  readonly appender: Appender;
  readonly timeouts: Pick<IntakeTimeouts, 'earlierAttemptMs'>;
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly metrics: IntakeMetrics & Pick<IntakeCounter, 'countRefused'>;
  readonly countRefusal: RefusalCounts['countRefusal'];
  /**
   * Maximum age of an item at receipt; undefined means no limit. Older dynamic plays stay in quarantine; other older items are rejected.
   */
  readonly maxAgeDays: number | undefined;
}

export const createIntakeRoute = <Sent, Extra extends object>(
  definition: IntakeDefinition<Sent, Extra>,
  dependencies: IntakeDependencies,
): Route => {
  const { path, summary, operationId, example, listField, itemSchema } = definition;
  const extraFields = definition.extraFields.shape as z.ZodRawShape;
  const Accepted = z.object({
    message: responseMessage,
    acceptedAt: z.iso
      .datetime()
      .describe('When the request was received; of a repeated one, when it was first received.'),
    eventCount: z.int().describe('Number of events in the request.'),
    ...extraFields,
  });
  const warningFields = definition.warnings?.fields.shape ?? {};
  return {
    method: 'post',
    path,
    summary,
    operationId,
    access: 'ingest',
    body: 'json',
    maxBytes: maxBodyBytes,
    isConcurrencyLimited: true,
    examples: [
      { name: 'push', body: example, headers: { 'Idempotency-Key': `example-${operationId}` } },
      { name: 'onlyValidate', query: { validate_only: true }, body: example },
    ],
    schemas: {
      ...idempotencySchemas,
      body: z.strictObject({
        ...extraFields,
        [listField]: z.array(itemSchema).min(1).max(maxItems).describe('If one of them is invalid, none is stored.'),
      }),
      responses: {
        202: Accepted.extend(warningFields),
        200: Accepted.omit({ acceptedAt: true })
          .extend(warningFields)
          .extend(definition.validFields ?? {})
          .describe('Valid; nothing was stored.'),
      },
    },
    errorCodes: ['INVALID_EVENT', 'CONFLICT'],
    handle: createIntakeHandler(definition, dependencies),
    onRejected({ body, query, principal }, code, error) {
      if (query['validate_only'] !== undefined) return;
      const events = countRefusedEvents(body, listField);
      dependencies.metrics.countRefused(code, events);
      if (principal?.kind === 'api-key') dependencies.countRefusal({ sender: principal, code, events, error });
    },
  };
};

/**
 * Responds with 202 only once every event is durable. After a 503, some events may be stored; a retry with the same Idempotency-Key stores
 * the rest.
 */
const createIntakeHandler =
  <Sent, Extra extends object>(definition: IntakeDefinition<Sent, Extra>, dependencies: IntakeDependencies) =>
  async (request: RouteRequest): Promise<RouteResponse> => {
    const { postgres, clock, maxAgeDays } = dependencies;
    const isValidateOnly = readValidateOnly(request.query);
    const received = describeRequest(definition, request, readIdempotencyKey(request), clock.now());
    const claim = isValidateOnly ? undefined : createClaim(definition.path, received);
    try {
      const valid = parseAndValidate(definition, request, { receivedAtMs: received.receivedAtMs, maxAgeDays });
      await definition.checkIds?.(valid.items, received.key.network);
      // Throws if an item is too large. A rejected request must leave no claim, and `validate_only` must report such items too.
      const chunks = createRequestChunks(definition, received, valid);
      if (isValidateOnly) return await createValidResponse(definition, received, valid);
      if (claim) return await appendOnce(definition, request, received, claim, valid, dependencies);
      await appendChunks(dependencies, received.stream, chunks);
      return createAcceptedResponse(definition, dependencies, received, valid);
    } catch (error) {
      // A retry may be invalid although the first attempt was accepted, for example because its events are too old by now.
      const mayBeRetry = claim && error instanceof ApiError && error.code === 'INVALID_EVENT';
      const stored = mayBeRetry ? await findStoredResponse(postgres, claim) : undefined;
      if (stored) return stored;
      throw toCallerError(error);
    }
  };

const parseAndValidate = <Sent, Extra extends object>(
  definition: IntakeDefinition<Sent, Extra>,
  request: RouteRequest,
  limits: AgeLimits,
): ValidatedBody<Sent, Extra> => {
  const { listField, storedAsSent } = definition;
  const { items, extra } = parseOuterBody(request.body, definition);
  // Invalid items cost as much CPU time as valid ones.
  request.consumeEventQuota(items.length);
  if (storedAsSent) rejectLossyNumbers(request.bodyBytes, items, { listField, storedAsSent });
  return { items: validateItems(items, definition, limits), extra };
};

const appendOnce = async <Sent, Extra extends object>(
  definition: IntakeDefinition<Sent, Extra>,
  { signal, log }: RouteRequest,
  received: ReceivedRequest,
  claim: RequestClaim,
  valid: ValidatedBody<Sent, Extra>,
  dependencies: IntakeDependencies,
): Promise<JsonResponse> => {
  const { response, isReplay } = await executeOnce(dependencies.postgres, claim, {
    signal,
    log,
    timeouts: dependencies.timeouts,
    async execute(claimed) {
      // The search for stored events needs the stream of the first attempt, and the missing events need its receipt time.
      const { stream = received.stream, receivedAtMs } = claimed;
      const allChunks = createRequestChunks(definition, { ...received, stream, receivedAtMs }, valid);
      const chunks = await findMissingChunks(allChunks, stream, claimed, dependencies);
      await appendChunks(dependencies, stream, chunks);
      return {
        response: createAcceptedResponse(definition, dependencies, { ...received, receivedAtMs }, valid),
        isReplay: chunks.length === 0,
      };
    },
  });
  if (isReplay) dependencies.metrics.countReplayed(definition.kind);
  return response;
};

const createRequestChunks = <Sent, Extra extends object>(
  definition: IntakeDefinition<Sent, Extra>,
  received: ReceivedRequest,
  valid: ValidatedBody<Sent, Extra>,
): readonly Chunk[] =>
  createChunks(definition, received, valid, (index) =>
    invalidEvents([{ path: `${definition.listField}[${index}]`, message: 'must have at most 256 KiB' }]),
  );

const appendChunks = async (
  { appender }: IntakeDependencies,
  stream: string,
  chunks: readonly Chunk[],
): Promise<void> => {
  for (const chunk of chunks) await appender.append(stream, chunk);
};

/** A failed attempt counts no events, so the retry that succeeds counts all of them. */
const createAcceptedResponse = <Sent, Extra extends object>(
  { kind, warnings }: IntakeDefinition<Sent, Extra>,
  { metrics }: IntakeDependencies,
  { receivedAtMs, key }: Pick<ReceivedRequest, 'receivedAtMs' | 'key'>,
  { items, extra }: ValidatedBody<Sent, Extra>,
): JsonResponse => {
  const eventCount = items.length;
  metrics.countAccepted(kind, eventCount);
  return jsonResponse(202, {
    message: 'Accepted.',
    acceptedAt: instantOf(receivedAtMs),
    eventCount,
    ...extra,
    ...warnings?.find(items, key, true),
  });
};

const createValidResponse = async <Sent, Extra extends object>(
  { describeValid, warnings }: IntakeDefinition<Sent, Extra>,
  { key, receivedAtMs }: ReceivedRequest,
  { items, extra }: ValidatedBody<Sent, Extra>,
): Promise<JsonResponse> => {
  const { network, vendor } = key;
  const described = await describeValid?.(items, extra, { network, vendor, receivedAtMs });
  const message = ['Valid; nothing was stored.', described?.message ?? ''].join(' ').trim();
  return jsonResponse(200, {
    message,
    eventCount: items.length,
    ...extra,
    ...described?.fields,
    ...warnings?.find(items, key, false),
  });
};

/** A request whose list is absent, empty or not a list counts as one event. */
const countRefusedEvents = (body: unknown, listField: string): number => {
  const sent: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, listField) : undefined;
  return Array.isArray(sent) ? Math.min(Math.max(sent.length, 1), maxItems) : 1;
};
