/** The network of the traffic. */
export const flow = { network: 1, vendor: 'acme' } as const;
export const screens = 6;
export const deviceOf = (screen: number): number => 100 + screen;
export const screenId = (screen: number): string => `screen-${screen}`;
export const feederOf = (screen: number): number => 200 + screen;

const zones = ['Europe/London', 'America/New_York', 'Asia/Kathmandu'] as const;
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const upTo = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Six screens in three zones, with feeders, cameras and campaigns. */
export const flowRegistry = {
  networks: [{ id: 1, name: 'Harbour Media', timezone: 'Europe/London' }],
  vendors: [{ code: 'acme', name: 'Acme player', network: 1 }],
  sites: zones.map((timezone, index) => ({
    id: 10 + index,
    name: `Site ${index}`,
    network: 1,
    timezone,
    business_hours: Object.fromEntries(days.map((day) => [day, ['07:00-22:00']])),
  })),
  locations: zones.map((_, index) => ({ id: 20 + index, name: `Floor ${index}`, site: 10 + index })),
  devices: upTo(screens, (screen) => ({
    id: deviceOf(screen),
    name: `Screen ${screen}`,
    location: 20 + (screen % zones.length),
    screen_ids: [screenId(screen)],
  })),
  feeders: upTo(screens, (screen) => ({ id: feederOf(screen), name: `Feed ${screen}`, device: deviceOf(screen) })),
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
};

const startMs = Date.parse('2026-08-20T05:00:00.000Z');
/** Between two plays of all screens together; a day holds some 14,000. */
const everyMs = 6_000;

export const playedAtMs = (play: number): number => startMs + play * everyMs;

/** The n-th play of the network, as a vendor pushes it. */
export const pushedPlay = (play: number, eventId = `p-${play}`) => ({
  eventId,
  screenId: screenId(play % screens),
  campaignId: 'C-100',
  creativeId: 'CR-1',
  playedAt: new Date(playedAtMs(play)).toISOString(),
  durationMs: 10_000,
});

/** A detection in front of the screen of the n-th play, with a watch interval. */
export const pushedDetection = (play: number, revision = 0) => {
  const at = (seconds: number) => new Date(playedAtMs(play) + seconds * 1_000).toISOString();
  return {
    detectionId: `seen-${play}`,
    revision,
    deviceId: deviceOf(play % screens),
    feederId: feederOf(play % screens),
    watcherId: play,
    startedAt: at(1),
    endedAt: at(8 + revision),
    distance: [2.5],
    watches: [{ startedAt: at(2), endedAt: at(5 + revision) }],
    population: 'VIEWER',
  };
};
