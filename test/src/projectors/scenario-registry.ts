import { instantOf } from '@popsvc/contracts/time';
import type { Scenario, Told } from './audience-scenario.ts';

const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The same openings every day; undefined: no schedule at all. */
export const weekWith = (hours: string[] | undefined) => hours && Object.fromEntries(days.map((day) => [day, hours]));

/** Every id of a scenario's network is the network's own number. */
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
  devices: scenarios.map(({ network }) => ({
    id: network,
    name: `Device ${network}`,
    location: network,
    screen_ids: ['screen'],
  })),
  metric_definitions: scenarios.map(({ network, thresholds }) => ({
    network,
    version: 1,
    effective_from: '2020-01-01T00:00:00Z',
    thresholds,
  })),
});

/** The event a vendor's request would become. */
export const eventOf = (network: number, told: Told): { type: string; data: unknown } =>
  told.kind === 'play'
    ? {
        type: 'PopRecorded',
        data: {
          eventId: told.eventId,
          screenId: 'screen',
          campaignId: 'C',
          creativeId: 'CR',
          playedAt: instantOf(told.startMs),
          durationMs: told.durationMs,
        },
      }
    : {
        type: 'DetectionRecorded',
        data: {
          detectionId: told.detectionId,
          revision: told.revision,
          deviceId: network,
          watcherId: Number(told.detectionId.slice(1)),
          startedAt: instantOf(told.from),
          endedAt: instantOf(told.to),
          distance: [],
          watches: told.watches.map(({ from, to }) => ({ startedAt: instantOf(from), endedAt: instantOf(to) })),
          population: told.population,
          ...(told.gender !== undefined && { gender: told.gender }),
          ...(told.age !== undefined && { age: told.age }),
        },
      };
