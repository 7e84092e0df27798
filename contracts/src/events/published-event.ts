import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { EventMetadata } from './metadata.ts';

/** An event of the log as the bus publishes it, under `popsvc.events.{network or 0}.{type}`. */
export const PublishedEvent = z.object({
  id: z.string().describe('Of the event; the same when it is published again.'),
  type: z.string(),
  stream: z.string(),
  revision: z.int().min(0).describe('Place in its stream.'),
  position: z.string().regex(/^\d+$/).describe('Place in the whole log.'),
  recorded_at: Instant.describe('When the log took it in.'),
  data: z.unknown().describe('As stored, in the version of the schema that the metadata tell.'),
  data_omitted: z.literal(true).optional().describe('The event is larger than a message may be; the log has its data.'),
  metadata: EventMetadata,
});
export type PublishedEvent = z.output<typeof PublishedEvent>;
