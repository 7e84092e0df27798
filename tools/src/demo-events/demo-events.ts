import type { Detection, Heartbeat, Interval, Play, PopsvcClient } from '@popsvc/client';

const play = (eventId: string, playedAt: string, more: Partial<Play> = {}): Play => ({
  eventId,
  screenId: 'demo-screen-1',
  campaignId: 'DEMO-1',
  creativeId: 'DEMO-CR-1',
  playedAt,
  durationMs: 10_000,
  ...more,
});

/** The plays of the guide for vendors, which sends some in a schema of its own. The ids are the same, so reports count each play once. */
const plays: readonly Play[] = [
  play('guide-1', '2026-08-21T14:03:07.250Z', { startReason: 'scheduled' }),
  play('guide-2', '2026-08-21T14:03:17.250Z'),
  play('guide-3', '2026-08-21T14:10:00Z', { screenId: 'demo-screen-2', durationMs: 12_500 }),
  play('guide-4', '2026-08-21T15:00:00Z'),
  play('guide-5', '2026-08-21T15:00:10Z'),
];

const detections: readonly Detection[] = [
  {
    detectionId: 'guide-d1',
    revision: 1,
    deviceId: 31,
    feederId: 41,
    watcherId: 7,
    startedAt: '2026-08-21T14:03:06.000Z',
    endedAt: '2026-08-21T14:03:20.400Z',
    gender: 'female',
    ageCategory: 'adult',
    watches: [{ startedAt: '2026-08-21T14:03:08.000Z', endedAt: '2026-08-21T14:03:11.200Z' }],
  },
];

const intervals: readonly Interval[] = [
  {
    deviceId: 31,
    appCode: 'player',
    state: 'running',
    startedAt: '2026-08-21T06:00:00Z',
    endedAt: null,
    lastHeartbeatAt: '2026-08-21T14:03:00Z',
  },
];

/** Heartbeats of the time of the plays, and one of now, which makes the device online. */
const heartbeatsAt = (now: Date): readonly Heartbeat[] => [
  { deviceId: 31, appCode: 'player', state: 'running', at: '2026-08-21T14:03:00Z' },
  { feederId: 41, at: '2026-08-21T14:03:00Z' },
  { deviceId: 31, at: now.toISOString() },
];

/** Sends the events of the guide for vendors to the demo network. Sent again, they change nothing but the device's last heartbeat. */
export const sendDemoEvents = async (client: PopsvcClient, now: Date): Promise<void> => {
  await client.recordHeartbeats(heartbeatsAt(now));
  await client.recordIntervals(intervals);
  await client.recordDetections(detections);
  await client.recordPlays(plays);
};

/** The UTC day of the plays, and the rows that the reports have for it. */
export const demoDay = {
  window: { from: '2026-08-21T00:00:00Z', to: '2026-08-22T00:00:00Z' },
  coffeeRows: plays.length,
  watcherSummaryRows: detections.length,
} as const;
