import { instantOf } from '@popsvc/contracts/time';
import { onlineWindowMs } from '@popsvc/domain/status';
import type { DeviceFound, FeederFound } from './devices.query.ts';
import type { DevicesTold } from './devices.schemas.ts';

const instantOrNull = (ms: number | null) => (ms === null ? null : instantOf(ms));

const toldFeeder = ({ id, name, status, last_ms }: FeederFound) => ({
  id,
  name,
  status,
  last_active_at: instantOrNull(last_ms),
});

/** A device as a list shows it. */
export const toldDevice = (
  found: DeviceFound,
  screens: readonly string[],
  feeders: readonly FeederFound[],
): DevicesTold['devices'][number] => ({
  id: found.id,
  name: found.name,
  network: { id: found.network_id, name: found.network_name },
  site: { id: found.site_id, name: found.site_name },
  location: { id: found.location_id, name: found.location_name },
  status: found.status,
  last_active_at: instantOrNull(found.last_ms),
  offline_since:
    found.status === 'offline' && found.last_ms !== null ? instantOf(found.last_ms + onlineWindowMs) : null,
  screens: [...screens],
  feeders: feeders.map(toldFeeder),
});
