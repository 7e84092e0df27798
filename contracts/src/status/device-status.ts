import { z } from 'zod';
import { Place } from '../envelope/index.ts';
import { Instant } from '../time/index.ts';
import { STATUSES } from '../vocabulary/index.ts';

/** Status of a device (service.md 2.2, decisions 7). */
export const DeviceStatus = z
  .object({
    id: z.int().min(1),
    name: z.string(),
    network: Place,
    site: Place,
    location: Place,
    status: z.enum(STATUSES).describe('online: a heartbeat was received within the last 300 s.'),
    last_active_timestamp: Instant.nullable().describe(
      'Receipt of the last counted heartbeat; null if there was none.',
    ),
    source: z.literal('heartbeat').describe('Source of the status.'),
  })
  .meta({ id: 'DeviceStatus' });
export type DeviceStatus = z.output<typeof DeviceStatus>;

/** Status of a feeder with its device (service.md 2.3). */
export const FeederStatus = DeviceStatus.extend({ device: Place }).meta({ id: 'FeederStatus' });
export type FeederStatus = z.output<typeof FeederStatus>;
