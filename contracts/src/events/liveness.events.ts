import { z } from 'zod';
import { Instant } from '../time/index.ts';
import { type DataOf, defineEvent } from './event-definition.ts';

const since = Instant.nullable().describe('Start of the outage; null after the first heartbeat ever.');
const online = { onlineAt: Instant.describe('Receipt of the heartbeat that ended the outage.'), offlineSince: since };
const offline = {
  offlineAt: Instant.describe('The last counted receipt plus 300 s.'),
  lastReceivedAt: Instant.describe('The last counted receipt.'),
};
const wentOnline = { onlineAt: '2026-08-20T14:12:00.000Z', offlineSince: '2026-08-20T14:08:00.000Z' };
const wentOffline = { offlineAt: '2026-08-20T14:08:00.000Z', lastReceivedAt: '2026-08-20T14:03:00.000Z' };

export const DeviceWentOnline = defineEvent('DeviceWentOnline', {
  about: 'A device that was offline, or had never sent a heartbeat, sent one.',
  schema: z.object({ deviceId: z.int(), ...online }),
  example: { deviceId: 11, ...wentOnline },
});
export type DeviceWentOnline = DataOf<typeof DeviceWentOnline>;

export const DeviceWentOffline = defineEvent('DeviceWentOffline', {
  about: 'A device sent no heartbeat for 300 s.',
  schema: z.object({ deviceId: z.int(), ...offline }),
  example: { deviceId: 11, ...wentOffline },
});
export type DeviceWentOffline = DataOf<typeof DeviceWentOffline>;

export const FeederWentOnline = defineEvent('FeederWentOnline', {
  about: 'A feeder that was offline, or had never sent a heartbeat, sent one.',
  schema: z.object({ feederId: z.int(), ...online }),
  example: { feederId: 21, ...wentOnline },
});
export type FeederWentOnline = DataOf<typeof FeederWentOnline>;

export const FeederWentOffline = defineEvent('FeederWentOffline', {
  about: 'A feeder sent no heartbeat for 300 s.',
  schema: z.object({ feederId: z.int(), ...offline }),
  example: { feederId: 21, ...wentOffline },
});
export type FeederWentOffline = DataOf<typeof FeederWentOffline>;
