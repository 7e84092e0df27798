import { registered, type EntityEvent, type WrittenFile } from './given-registry.ts';

/** A small network, and a second one that is almost empty. */
export const network = { id: 1, name: 'Harbour Media', timezone: 'Europe/London' };
export const vendor = { code: 'acme', name: 'Acme player', network: 1 };
export const site = {
  id: 2,
  name: 'Quayside',
  network: 1,
  timezone: 'Europe/Lisbon',
  business_hours: { mon: ['07:00-22:00'] },
};
export const location = { id: 3, name: 'Ground floor', site: 2 };
export const device = { id: 4, name: 'Entrance', location: 3, screen_ids: ['screen-1', 'screen-2'] };
export const feeder = { id: 5, name: 'Entrance feed', device: 4 };
export const camera = { id: 6, name: 'Entrance camera', device: 4, feeder: 5 };
const app = { code: 'player', name: 'Media player' };
export const campaign = {
  id: 7,
  network: 1,
  external_id: 'C-100',
  name: 'Coats',
  strategies: [{ id: 8, name: 'Default' }],
};
export const creative = { external_id: 'CR-1', title: 'coats 10s', campaign: 7, strategy: 8 };
export const definition = {
  network: 1,
  version: 1,
  effective_from: '2026-07-01T00:00:00.000Z',
  thresholds: { impression_ms: 1_500 },
};
export const otherNetwork = { id: 10, name: 'Lock Media', timezone: 'America/New_York' };
export const otherSite = { id: 12, name: 'Lockgate', network: 10, timezone: 'America/New_York' };
export const otherLocation = { id: 13, name: 'Concourse', site: 12 };

export const harbourFile: WrittenFile = {
  networks: [network, otherNetwork],
  vendors: [vendor],
  sites: [site, otherSite],
  locations: [location, otherLocation],
  devices: [device],
  feeders: [feeder],
  cameras: [camera],
  apps: [app],
  campaigns: [campaign],
  creatives: [creative],
  metric_definitions: [definition],
};

/** The same as events of 1 January 2026. */
export const harbour: readonly EntityEvent[] = [
  registered('networks', network),
  registered('networks', otherNetwork),
  registered('vendors', vendor),
  registered('sites', site),
  registered('sites', otherSite),
  registered('locations', location),
  registered('locations', otherLocation),
  registered('devices', device),
  registered('feeders', feeder),
  registered('cameras', camera),
  registered('apps', app),
  registered('campaigns', campaign),
  registered('creatives', creative),
  registered('metric_definitions', definition),
];
