import { Place } from '@popsvc/contracts/responses';
import { Instant } from '@popsvc/contracts/time';
import { z } from 'zod';
import { nextAfter } from '../requests/parameters.ts';

export const DEVICE_STATUSES = ['online', 'offline', 'never'] as const;
export type DeviceStatus = (typeof DEVICE_STATUSES)[number];

const statusFields = {
  status: z.enum(DEVICE_STATUSES).describe('`never`: registered, but no heartbeat was ever received.'),
  last_active_at: Instant.nullable().describe('Time of receipt of the last valid heartbeat.'),
};

const identityFields = {
  id: z.int().min(1).describe('Id in the registry, as in heartbeats.'),
  name: z.string().describe('Current name in the registry.'),
};

const ListedFeeder = z.object({ ...identityFields, ...statusFields }).meta({ id: 'ListedFeeder' });

const ListedDevice = z
  .object({
    ...identityFields,
    network: Place,
    site: Place,
    site_timezone: z.string().nullable().describe('Null if the registry does not contain the site.'),
    location: Place,
    ...statusFields,
    offline_since: Instant.nullable().describe('Only for the status `offline`.'),
    screens: z.array(z.string()).describe('Ids of the screens it shows now.'),
    feeders: z.array(ListedFeeder).describe('Its feeders that are not retired, by id.'),
  })
  .meta({ id: 'ListedDevice' });

export const DevicesResponse = z.object({
  total: z.int().min(0).describe('Number of matches over all pages.'),
  count: z.int().min(0).describe('Number on this page.'),
  next_after: nextAfter,
  devices: z.array(ListedDevice).describe('By id.'),
});
export type DevicesResponse = z.output<typeof DevicesResponse>;
