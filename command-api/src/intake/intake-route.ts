import type { Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { repeatable } from '../idempotency/repeatable.ts';
import { type Intake, mostBytes, mostItems } from './intake.ts';
import { type IntakeParts, takeIn } from './take-in.ts';

/** How many events were refused with a request; one that was refused before its events were seen stands for one. */
const refusedEvents = (body: unknown, list: string): number => {
  const sent: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, list) : undefined;
  return Array.isArray(sent) ? Math.min(Math.max(sent.length, 1), mostItems) : 1;
};

/** The endpoint of one kind of intake. */
export const intakeRoute = <Sent, Beside extends object>(intake: Intake<Sent, Beside>, parts: IntakeParts): Route => {
  const { path, summary, operation, example, list, item } = intake;
  const beside = intake.beside.shape as z.ZodRawShape;
  const Accepted = z.object({ message: z.string(), acceptedAt: z.iso.datetime(), eventCount: z.int(), ...beside });
  return {
    method: 'post',
    path,
    summary,
    operationId: operation,
    access: 'ingest',
    body: 'json',
    maxBytes: mostBytes,
    isConcurrencyLimited: true,
    examples: [
      { name: 'push', body: example, headers: { 'Idempotency-Key': `example-${operation}` } },
      { name: 'onlyValidate', query: { validate_only: true }, body: example },
    ],
    schemas: {
      ...repeatable,
      body: z.strictObject({ ...beside, [list]: z.array(item).min(1).max(mostItems) }),
      responses: { 202: Accepted, 200: Accepted.omit({ acceptedAt: true }).describe('Valid; nothing was stored.') },
    },
    errorCodes: ['INVALID_EVENT', 'CONFLICT'],
    handle: takeIn(intake, parts),
    onRefused({ body, query }, code) {
      if (query['validate_only'] === undefined) parts.metrics.refused(code, refusedEvents(body, list));
    },
  };
};
