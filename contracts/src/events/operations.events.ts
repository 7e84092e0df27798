import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { OPERATOR_ROLES } from '../vocabulary/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

const events = z
  .array(
    z.object({
      position: z
        .string()
        .regex(/^\d{1,16}$/)
        .describe('Position of the event in the log.'),
      index: z.int().min(0).describe('Index of the item in the event; 0 for an event without a list.'),
      stream: z.string(),
    }),
  )
  .min(1)
  .describe('The parked items.');
const projection = z.string().describe('Applies to every generation of the projection.');
const example = { projection: 'coffee', events: [{ position: '73142', index: 3, stream: 'pop-1.acme.20260820' }] };

export const ParkedEventsRetried = defineEvent('ParkedEventsRetried', {
  about:
    'An operator requested a retry of parked events: the projection folds them at this position. In an ordered stream, also all later events.',
  schema: z.object({ projection, events }),
  example,
});
export type ParkedEventsRetried = DataOf<typeof ParkedEventsRetried>;

export const ParkedEventsDiscarded = defineEvent('ParkedEventsDiscarded', {
  about: 'An operator discarded parked events: the projection skips them permanently.',
  schema: z.object({ projection, events, reason: z.string() }),
  example: { ...example, reason: 'a test of the vendor, sent by mistake' },
});
export type ParkedEventsDiscarded = DataOf<typeof ParkedEventsDiscarded>;

export const OperatorActionRecorded = defineEvent('OperatorActionRecorded', {
  about:
    'An operator changed something with the operations API or signed in, or was refused because of the role. Contains no secrets.',
  schema: z.object({
    actor: z.string().describe('Name of the account; `operator-token` for the operator token.'),
    role: z.enum(OPERATOR_ROLES).describe('Role of the operator.'),
    action: z.string().describe('Id of the operation in the OpenAPI document of the operations API.'),
    target: z
      .record(z.string(), z.string())
      .describe('What the action applies to: parameters and fields of the request, and ids of the response.'),
    outcome: z.enum(['done', 'refused']).describe('refused: the action needs a higher role.'),
    address: z.string().describe('Address of the connected client, or of its proxy.'),
    at: Instant,
  }),
  example: {
    actor: 'jane',
    role: 'operator',
    action: 'retryParked',
    target: { projection: 'coffee', all: 'true' },
    outcome: 'done',
    address: '192.0.2.17',
    at: '2026-08-20T14:03:07.250Z',
  },
});
export type OperatorActionRecorded = DataOf<typeof OperatorActionRecorded>;

export const ProbeEmitted = defineEvent('ProbeEmitted', {
  about: 'A service appends it to advance projections without other events and to measure their lag.',
  schema: z.object({ service: z.string(), emittedAt: Instant }),
  example: { service: 'projectors', emittedAt: '2026-08-20T14:03:07.250Z' },
});
export type ProbeEmitted = DataOf<typeof ProbeEmitted>;
