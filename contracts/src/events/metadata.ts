import { z } from 'zod';
import { Instant } from '../time/index.ts';

/** What every event carries beside its data. */
export const EventMetadata = z.object({
  schemaVersion: z.int().min(1).describe('Version of the event schema the data was written in.'),
  receivedAt: Instant.describe('When the service took the request in.'),
  network: z.int().optional().describe('Network of the credential.'),
  vendor: z.string().optional().describe('Vendor code of the API key.'),
  keyId: z.string().optional().describe('Which API key was used; never the key.'),
  requestId: z.string().optional(),
  correlationId: z
    .string()
    .optional()
    .describe('What it belongs to: a bulk job by its id, else the request in a trace, as `traceparent` writes it.'),
  causationId: z.string().optional(),
});
export type EventMetadata = z.output<typeof EventMetadata>;
