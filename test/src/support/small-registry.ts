/** A registry file with one network, one device with one screen, and one campaign. */
export const smallRegistry = {
  networks: [{ id: 1, name: 'Harbour Media', timezone: 'Europe/London' }],
  vendors: [{ code: 'acme', name: 'Acme player', network: 1 }],
  sites: [
    {
      id: 2,
      name: 'Quayside',
      network: 1,
      timezone: 'Europe/London',
      business_hours: { thu: ['07:00-22:00'] },
    },
  ],
  locations: [{ id: 3, name: 'Ground floor', site: 2 }],
  devices: [{ id: 4, name: 'Entrance', location: 3, screen_ids: ['screen-1'] }],
  feeders: [{ id: 5, name: 'Entrance feed', device: 4 }],
  cameras: [{ id: 6, name: 'Entrance camera', device: 4, feeder: 5 }],
  apps: [{ code: 'player', name: 'Media player' }],
  campaigns: [
    {
      id: 7,
      network: 1,
      external_id: 'C-100',
      name: 'Autumn coats',
      subscription_name: 'Gold',
      strategies: [{ id: 8, name: 'Commuters' }],
    },
  ],
  creatives: [{ external_id: 'CR-1', title: 'autumn coats 10s', campaign: 7, duration_ms: 10_000 }],
} as const;
