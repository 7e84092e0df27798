import { z } from 'zod';
import { Place } from '../envelope/index.ts';
import { Instant } from '../time/index.ts';
import { STATUSES } from '../vocabulary/index.ts';

/** A device as its partner is told of it (service.md 2.2, decisions 7). */
export const DeviceStatus = z
  .object({
    id: z.int().min(1),
    name: z.string(),
    network: Place,
    site: Place,
    location: Place,
    status: z.enum(STATUSES).describe('online: a heartbeat came within the last 300 s.'),
    last_active_timestamp: Instant.nullable().describe(
      'Receipt of the last heartbeat that counts; null when it was never heard.',
    ),
    source: z.literal('heartbeat').describe('What the status comes from.'),
  })
  .meta({ id: 'DeviceStatus' });
export type DeviceStatus = z.output<typeof DeviceStatus>;

/** A feeder, and the device it belongs to (service.md 2.3). */
export const FeederStatus = DeviceStatus.extend({ device: Place }).meta({ id: 'FeederStatus' });
export type FeederStatus = z.output<typeof FeederStatus>;
