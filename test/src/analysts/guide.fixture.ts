import { livenessStream } from '@popsvc/contracts/events';
import { toLivenessEvent } from '@popsvc/domain/status';
import type { TestSystem } from '../support/test-system.ts';

const hours = { thu: ['12:00-18:00'], fri: ['12:00-18:00'] };

/** Two devices in Berlin that share a name, one that was retired later, one with heartbeats of an app only, two campaigns; small enough to be counted by hand. */
const registry = {
  networks: [{ id: 1, name: 'Harbour Media', timezone: 'Europe/Berlin' }],
  vendors: [{ code: 'acme', name: 'Acme player', network: 1 }],
  sites: [
    // A Thursday and a Friday: open for six hours each, 10:00 to 16:00 UTC.
    { id: 11, name: 'Station', network: 1, timezone: 'Europe/Berlin', business_hours: hours },
    { id: 12, name: 'Mall', network: 1, timezone: 'Europe/Berlin', business_hours: hours },
  ],
  locations: [
    { id: 21, name: 'Hall', site: 11 },
    { id: 22, name: 'Door', site: 12 },
  ],
  devices: [
    { id: 31, name: 'Screen', location: 21, screen_ids: ['screen-1', 'screen-3'] },
    { id: 32, name: 'Screen', location: 22, screen_ids: ['screen-2'] },
    // Retired when the test registers it, which is after the plays.
    { id: 33, name: 'Old screen', location: 22, retired: true, screen_ids: ['screen-4'] },
    { id: 34, name: 'Kiosk', location: 22 },
  ],
  feeders: [
    { id: 41, name: 'Station feed', device: 31 },
    { id: 42, name: 'Mall feed', device: 32 },
  ],
  campaigns: [
    { id: 61, network: 1, external_id: 'C-1', name: 'Coats' },
    { id: 62, network: 1, external_id: 'C-2', name: 'Shoes' },
  ],
  creatives: [
    { external_id: 'CR-1', title: 'coats.mp4', display_title: 'Coat spot', campaign: 61 },
    { external_id: 'CR-2', title: 'shoes.mp4', display_title: 'Shoe spot', campaign: 62 },
  ],
};

const instant = (day: number, clock: string): string => `2026-08-${day}T${clock}.000Z`;
const received = { receivedAt: instant(20, '15:30:00') };

/** Plays of ten seconds: day, clock (UTC), screen, campaign. In Berlin it is two hours later. */
const plays = [
  ['p1', 20, '12:00:00', 1, 1],
  ['p2', 20, '12:00:10', 1, 1],
  ['p3', 20, '12:00:20', 1, 2],
  ['p4', 20, '13:00:00', 3, 1],
  // No heartbeat of this screen's feeder: unmeasured.
  ['p5', 20, '12:00:00', 2, 2],
  ['p6', 20, '12:00:10', 2, 2],
  ['p7', 21, '12:00:00', 1, 2],
  // In Berlin, this is the 20th. No heartbeat of the feeder: unmeasured.
  ['p8', 19, '22:30:00', 1, 2],
] as const;

/** Detections: from, to, and the watch interval. One woman on both days, one man who never watches. */
const detections = [
  [1, 'female', 20, '12:00:00', '12:00:20', ['12:00:01', '12:00:12']],
  [2, 'male', 20, '12:00:12', '12:00:25', undefined],
  [1, 'female', 21, '12:00:00', '12:00:10', ['12:00:02', '12:00:03']],
] as const;

export const fillGuide = async (system: TestSystem): Promise<void> => {
  await system.register(registry);
  const play = ([eventId, day, clock, screen, campaign]: (typeof plays)[number], durationMs = 10_000) =>
    system.play(
      {
        eventId,
        screenId: `screen-${screen}`,
        campaignId: `C-${campaign}`,
        creativeId: `CR-${campaign}`,
        playedAt: instant(day, clock),
        durationMs,
      },
      received,
    );
  for (const each of plays) await play(each);
  // A play of the retired device, after the range of the guide's queries.
  await system.play(
    {
      eventId: 'p9',
      screenId: 'screen-4',
      campaignId: 'C-2',
      creativeId: 'CR-2',
      playedAt: instant(22, '10:00:00'),
      durationMs: 10_000,
    },
    { receivedAt: instant(22, '10:01:00') },
  );
  // A duplicate and a conflict.
  await play(plays[0]);
  await play(plays[1], 11_000);
  for (const [watcherId, gender, day, from, to, watch] of detections)
    await system.detection(
      {
        deviceId: 31,
        feederId: 41,
        watcherId,
        gender,
        ageCategory: 'adult',
        startedAt: instant(day, from),
        endedAt: instant(day, to),
        watches: watch ? [{ startedAt: instant(day, watch[0]), endedAt: instant(day, watch[1]) }] : [],
      },
      received,
    );
  const withdrawnAt = instant(20, '12:00:02');
  await system.detection(
    { deviceId: 31, watcherId: 99, startedAt: withdrawnAt, endedAt: withdrawnAt, watches: [] },
    received,
  );
  for (const [day, clock] of [
    [20, '12:00:00'],
    [20, '13:00:00'],
    [21, '12:00:00'],
  ] as const)
    await system.heartbeat({ feederId: 41, at: instant(day, clock) }, received);
  for (const clock of ['12:00:00', '12:01:00', '12:02:00'])
    await system.heartbeat({ deviceId: 31, at: instant(20, clock) }, received);
  for (const [deviceId, clock] of [
    [31, '01:00:00'],
    [32, '00:00:00'],
    [33, '00:00:00'],
  ] as const)
    await system.heartbeat({ deviceId, at: instant(20, clock) }, received);
  await system.heartbeat({ deviceId: 34, appCode: 'player', state: 'running', at: instant(20, '11:00:00') }, received);
  for (const [id, from, to] of [
    [31, instant(19, '22:00:00'), instant(20, '01:00:00')],
    [32, instant(20, '14:01:00'), instant(20, '14:59:00')],
  ] as const) {
    const offlineAtMs = Date.parse(from);
    for (const change of [
      { status: 'offline', offlineAtMs, lastReceivedMs: offlineAtMs - 300_000 },
      { status: 'online', onlineAtMs: Date.parse(to), offlineSinceMs: offlineAtMs },
    ] as const) {
      const { type, data } = toLivenessEvent({ kind: 'device', id }, change);
      await system.append(livenessStream('device', id), type, data, received);
    }
  }
  await system.project();
};

/** Begins an outage of the retired device, which stays open. */
export const openOutageOfRetired = async (system: TestSystem, at: string): Promise<void> => {
  const offlineAtMs = Date.parse(at);
  const change = { status: 'offline', offlineAtMs, lastReceivedMs: offlineAtMs - 300_000 } as const;
  const { type, data } = toLivenessEvent({ kind: 'device', id: 33 }, change);
  await system.append(livenessStream('device', 33), type, data, { receivedAt: at });
  await system.project();
};
