import { heartbeats, intervals, registryTables } from '@popsvc/read-models/tables';
import { noon, rowOf } from './rows.fixture.ts';
import type { World } from './world.fixture.ts';

export const locationRow = rowOf(registryTables.locations, { version: 1 });
export const deviceRow = rowOf(registryTables.devices, { version: 1 });
export const feederRow = rowOf(registryTables.feeders, { version: 1 });

/** Last heard, ms since 1970. */
export const heardRow = (network: number, kind: 'device' | 'feeder', id: number, heardMs: number) => ({
  network_id: network,
  kind,
  id,
  last_received_at: heardMs,
  version: heardMs,
});

export const beatRow = rowOf(heartbeats, { vendor: 'acme', app: 'player', state: 'running', received_at: noon });
export const intervalRow = rowOf(intervals, { vendor: 'acme', app: 'player', state: 'running', received_at: noon });

/**
 * Two networks with a site each that has two locations, and one more. Ids tell where things are: network 1 has site 11 with
 * locations 111 and 112, location 111 has devices 1111 and 1112, device 1111 has feeder 11111.
 */
export const registerPlaces = async (world: World): Promise<void> => {
  await world.register([
    { id: 1, name: 'North', sites: [11, 12] },
    { id: 2, name: 'South', sites: [21] },
    { id: 3, name: 'Elsewhere', sites: [31] },
  ]);
  const locations = [111, 112, 121, 211, 311];
  const network = (id: number) => Number(String(id)[0]);
  const above = (id: number) => Math.floor(id / 10);
  await world.insert(
    registryTables.locations,
    locations.map((id) =>
      locationRow({ location_id: id, network_id: network(id), site_id: above(id), name: `Location ${id}` }),
    ),
  );
  const devices = locations.flatMap((id) => [10 * id + 1, 10 * id + 2]);
  await world.insert(
    registryTables.devices,
    devices.map((id) =>
      deviceRow({ device_id: id, network_id: network(id), location_id: above(id), name: `Device ${id}` }),
    ),
  );
  await world.insert(
    registryTables.feeders,
    devices
      .filter((id) => id % 10 === 1)
      .map((id) =>
        feederRow({ feeder_id: 10 * id + 1, network_id: network(id), device_id: id, name: `Feeder ${10 * id + 1}` }),
      ),
  );
};
