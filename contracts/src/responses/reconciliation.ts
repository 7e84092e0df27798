import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { withEnvelope } from './envelope.ts';

export const maxListedDifferences = 10_000;

const count = z.int().min(0);
const first = `The first ${maxListedDifferences.toLocaleString('en')}`;

export const CountReconciliation = z
  .object({
    equal: count.describe('Screens and hours for which both counts are equal and not 0.'),
    differences: z
      .array(
        z.object({
          screenId: z.string().describe('Your id of the screen.'),
          hour: Instant.describe('Start of the hour (UTC) in which the plays began.'),
          sent: count.describe('Plays in the request; 0 if it does not name this screen and hour.'),
          stored: count.describe('Plays that the service has stored.'),
        }),
      )
      .describe(`${first}, by hour and screen.`),
    differenceCount: count.describe('All screens and hours with different counts.'),
  })
  .meta({ id: 'CountReconciliation' });
export type CountReconciliation = z.output<typeof CountReconciliation>;

export const EventReconciliation = z
  .object({
    matched: count.describe('Events that are stored and, if a hash was sent, have the same content.'),
    missing: z.array(z.string()).describe('Ids of the request of which no play is stored.'),
    different: z.array(z.string()).describe('Ids whose stored play has another content.'),
    extra: z
      .array(z.string())
      .describe(`Ids of stored plays of the window that the request does not name. ${first} in the order of the ids.`),
    extraCount: count.describe('All of them.'),
  })
  .meta({ id: 'EventReconciliation' });
export type EventReconciliation = z.output<typeof EventReconciliation>;

export const Reconciliation = withEnvelope(
  z.union([CountReconciliation, EventReconciliation]).describe('By counts or by events, as in the request.'),
).meta({ id: 'Reconciliation' });
