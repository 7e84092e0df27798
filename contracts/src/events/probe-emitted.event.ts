import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './define-event.ts';

export const ProbeEmitted = defineEvent('ProbeEmitted', {
  about: 'A service wrote to the log to move quiet projections on and to measure how fresh they are.',
  schema: z.object({ service: z.string(), emittedAt: Instant }),
  example: { service: 'projectors', emittedAt: '2026-08-20T14:03:07.250Z' },
});
export type ProbeEmitted = DataOf<typeof ProbeEmitted>;
