export const demoVendor = 'demo';

const allWeek = (hours: string) =>
  Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [hours]]));

/** A network to try the service with; its ids stay below 90. */
export const demoRegistry = {
  networks: [{ id: 1, name: 'Demo network', timezone: 'Europe/Berlin' }],
  vendors: [{ code: demoVendor, name: 'Demo player', network: 1 }],
  sites: [
    { id: 11, name: 'Central Station', network: 1, timezone: 'Europe/Berlin', business_hours: allWeek('05:00-24:00') },
    { id: 12, name: 'Market Hall', network: 1, timezone: 'Europe/Berlin', business_hours: allWeek('08:00-20:00') },
  ],
  locations: [
    { id: 21, name: 'Main concourse', site: 11 },
    { id: 22, name: 'North entrance', site: 12 },
  ],
  devices: [
    { id: 31, name: 'Concourse screen', location: 21, screen_ids: ['demo-screen-1'] },
    { id: 32, name: 'Entrance screen', location: 22, screen_ids: ['demo-screen-2'] },
  ],
  feeders: [{ id: 41, name: 'Concourse feed', device: 31 }],
  cameras: [{ id: 51, name: 'Concourse camera', device: 31, feeder: 41 }],
  apps: [{ code: 'player', name: 'Media player' }],
  campaigns: [
    {
      id: 61,
      network: 1,
      external_id: 'DEMO-1',
      name: 'Demo campaign',
      subscription_name: 'Demo subscription',
      strategies: [{ id: 71, name: 'Commuters' }],
    },
  ],
  creatives: [
    {
      external_id: 'DEMO-CR-1',
      title: 'demo_spot_10s.mp4',
      display_title: 'Demo spot',
      campaign: 61,
      duration_ms: 10_000,
    },
  ],
};
