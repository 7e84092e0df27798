import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

const events = z
  .array(
    z.object({
      position: z
        .string()
        .regex(/^\d{1,19}$/)
        .describe('In the log.'),
      stream: z.string(),
    }),
  )
  .min(1)
  .describe('Those that are meant.');
const projection = z.string().describe('Every generation of it.');
const example = { projection: 'coffee', events: [{ position: '73142', stream: 'pop-1.acme.20260820' }] };

export const ParkedEventsRetried = defineEvent('ParkedEventsRetried', {
  about:
    'An operator had a projection take events that it had set aside: it takes them here, not where they stand. Of a stream whose order matters, everything from the event on.',
  schema: z.object({ projection, events }),
  example,
});
export type ParkedEventsRetried = DataOf<typeof ParkedEventsRetried>;

export const ParkedEventsDiscarded = defineEvent('ParkedEventsDiscarded', {
  about: 'An operator had a projection pass over events that it had set aside, for good.',
  schema: z.object({ projection, events, reason: z.string() }),
  example: { ...example, reason: 'a test of the vendor, sent by mistake' },
});
export type ParkedEventsDiscarded = DataOf<typeof ParkedEventsDiscarded>;

export const ProbeEmitted = defineEvent('ProbeEmitted', {
  about: 'A service wrote to the log to move quiet projections on and to measure how fresh they are.',
  schema: z.object({ service: z.string(), emittedAt: Instant }),
  example: { service: 'projectors', emittedAt: '2026-08-20T14:03:07.250Z' },
});
export type ProbeEmitted = DataOf<typeof ProbeEmitted>;
