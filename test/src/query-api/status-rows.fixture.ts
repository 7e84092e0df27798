import { heartbeats, intervals, registryTables } from '@popsvc/read-models/tables';
import { noon, rowOf } from './rows.fixture.ts';
import type { TestQueryApi } from './test-query-api.fixture.ts';

const locationRow = rowOf(registryTables.locations, { version: 1 });
export const deviceRow = rowOf(registryTables.devices, { version: 1 });
export const feederRow = rowOf(registryTables.feeders, { version: 1 });

/** A row of `liveness`; `lastReceivedMs` is ms since 1970. */
export const livenessRow = (network: number, kind: 'device' | 'feeder', id: number, lastReceivedMs: number) => ({
  network_id: network,
  kind,
  id,
  last_received_at: lastReceivedMs,
  version: lastReceivedMs,
});

export const heartbeatRow = rowOf(heartbeats, { vendor: 'acme', app: 'player', state: 'running', received_at: noon });
export const intervalRow = rowOf(intervals, { vendor: 'acme', app: 'player', state: 'running', received_at: noon });

/**
 * Registers three networks with places. An id begins with the id of its parent: network 1 has site 11 with locations 111 and 112,
 * location 111 has devices 1111 and 1112, and device 1111 has feeder 11111.
 */
export const registerPlaces = async (api: TestQueryApi): Promise<void> => {
  await api.register([
    { id: 1, name: 'North', sites: [11, 12] },
    { id: 2, name: 'South', sites: [21] },
    { id: 3, name: 'Elsewhere', sites: [31] },
  ]);
  const locations = [111, 112, 121, 211, 311];
  const network = (id: number) => Number(String(id)[0]);
  const parentOf = (id: number) => Math.floor(id / 10);
  await api.insert(
    registryTables.locations,
    locations.map((id) =>
      locationRow({ location_id: id, network_id: network(id), site_id: parentOf(id), name: `Location ${id}` }),
    ),
  );
  const devices = locations.flatMap((id) => [10 * id + 1, 10 * id + 2]);
  await api.insert(
    registryTables.devices,
    devices.map((id) =>
      deviceRow({ device_id: id, network_id: network(id), location_id: parentOf(id), name: `Device ${id}` }),
    ),
  );
  await api.insert(
    registryTables.feeders,
    devices
      .filter((id) => id % 10 === 1)
      .map((id) =>
        feederRow({ feeder_id: 10 * id + 1, network_id: network(id), device_id: id, name: `Feeder ${10 * id + 1}` }),
      ),
  );
};
