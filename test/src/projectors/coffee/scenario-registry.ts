import type { Scenario } from './audience-scenario.ts';
import { idOf } from './feeder-scenario.ts';

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The same openings every day; undefined: no schedule at all. */
export const weekWith = (hours: string[] | undefined) => hours && Object.fromEntries(days.map((day) => [day, hours]));

/** Every id of a scenario's network is the network's own number, but that of the second device. */
export const registryOf = (scenarios: readonly Scenario[]) => ({
  networks: scenarios.map(({ network, zone }) => ({ id: network, name: `Network ${network}`, timezone: zone })),
  vendors: scenarios.map(({ network }) => ({ code: `v${network}`, name: `Vendor ${network}`, network })),
  sites: scenarios.map(({ network, zone, hours }) => ({
    id: network,
    name: `Site ${network}`,
    network,
    timezone: zone,
    ...(hours && { business_hours: weekWith(hours) }),
  })),
  locations: scenarios.map(({ network }) => ({ id: network, name: `Location ${network}`, site: network })),
  devices: scenarios.flatMap(({ network }) => [
    { id: network, name: `Device ${network}`, location: network, screen_ids: ['screen'] },
    { id: idOf(network, 2), name: `Other device ${network}`, location: network },
  ]),
  feeders: scenarios.map(({ network }) => ({ id: network, name: `Feeder ${network}`, device: network })),
  metric_definitions: scenarios.map(({ network, thresholds }) => ({
    network,
    version: 1,
    effective_from: '2020-01-01T00:00:00Z',
    thresholds,
  })),
});
