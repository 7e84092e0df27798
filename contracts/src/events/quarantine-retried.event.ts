import { z } from 'zod';
import { type DataOf, defineEvent } from './define-event.ts';

export const QuarantineRetried = defineEvent('QuarantineRetried', {
  about:
    "An operator had events that wait for a mapping of a vendor's own schema tried again, such as after a build that maps more.",
  schema: z.object({ network: z.int(), vendor: z.string(), schemaVersion: z.string() }),
  example: { network: 1, vendor: 'acme', schemaVersion: 'flat-1' },
});
export type QuarantineRetried = DataOf<typeof QuarantineRetried>;
