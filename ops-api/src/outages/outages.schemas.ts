import { Instant } from '@popsvc/contracts/time';
import { LIVENESS_KINDS } from '@popsvc/contracts/vocabulary';
import { z } from 'zod';

const ListedOutage = z
  .object({
    network_id: z.int().min(1),
    kind: z.enum(LIVENESS_KINDS),
    id: z.int().min(1),
    name: z.string().describe('Empty when the registry does not know it.'),
    device_id: z.int().min(0).describe('The device itself, or the one the feeder belongs to.'),
    site_id: z.int().min(0).describe('Where the device is now; 0 when the registry does not know it.'),
    site_name: z.string(),
    offline_at: Instant,
    online_at: Instant.nullable().describe('Null while it lasts.'),
    seconds: z.number().min(0).describe('How long; until now while it lasts.'),
    backfilled: z.boolean().describe('Shorter than it was recorded, by heartbeats that were backfilled.'),
  })
  .meta({ id: 'ListedOutage' });

export const OutagesTold = z.object({
  from: Instant.describe('The start of the window; outages that lasted until after it are told.'),
  to: Instant.nullable().describe('The end of the window.'),
  outages: z.array(ListedOutage),
  next_cursor: z.string().nullable().describe('What to send as `cursor` for the next page; null on the last.'),
});
export type OutagesTold = z.output<typeof OutagesTold>;
