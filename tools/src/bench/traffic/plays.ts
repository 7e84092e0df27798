import type { RecordedDetection, RecordedPlay } from '@popsvc/contracts/events';
import { campaigns, creatives, devices, screens } from './network.ts';

/** Start of the first play: Wednesday, 19 August 2026, 06:00 UTC. */
export const openingMs = Date.UTC(2026, 7, 19, 6);
const playMs = 10_000;

const startOf = (index: number): number => openingMs + Math.floor(index / screens) * playMs;
const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Creates the play with this index, about 400 bytes as JSON. Consecutive plays are on consecutive screens, and each screen plays
 * without pauses.
 */
export const play = (index: number, eventId = `play-${index}`): RecordedPlay => ({
  eventId,
  screenId: `screen-${index % screens}`,
  siteId: `store-${String(index % 7).padStart(4, '0')}`,
  campaignId: `C-${index % campaigns}`,
  creativeId: `CR-${index % creatives}`,
  playedAt: iso(startOf(index)),
  durationMs: playMs,
  startReason: 'scheduled',
  context: { loop: 'weekday-main', position: index % 12, playlist: 'f3b1c2d4-5e6f-4a70-8b91-0c1d2e3f4a5b' },
  device: { firmware: '8.4.1', os: 'linux', uptimeSeconds: 86_400 + index, temperature: 41.5 },
});

/** Creates a detection of a person who is in front of the screen for 6 s during a play and watches the screen for 2.5 s. */
export const detection = (index: number): RecordedDetection => {
  const from = startOf(index) + 2_000;
  return {
    detectionId: `detection-${index}`,
    revision: 0,
    deviceId: devices[index % screens]!.id,
    watcherId: index,
    startedAt: iso(from),
    endedAt: iso(from + 6_000),
    gender: index % 2 === 0 ? 'female' : 'male',
    age: String(20 + (index % 50)),
    mood: 'neutral',
    distance: [2.4],
    watches: [{ startedAt: iso(from + 1_000), endedAt: iso(from + 3_500) }],
    population: 'VIEWER',
  };
};

const placeholder = '############';

/**
 * Returns a function that creates request bodies. Each body has new event ids, because a service may skip storing events that it
 * has already stored. Each body is a copy of a template with only the ids overwritten, so creating it costs little CPU time.
 */
export const createBodies = (events: number, prefix: string): (() => Buffer) => {
  const plays = Array.from({ length: events }, (_, index) => play(index, prefix + placeholder));
  const pattern = Buffer.from(JSON.stringify({ events: plays }));
  const places: number[] = [];
  for (let at = pattern.indexOf(placeholder); at >= 0; at = pattern.indexOf(placeholder, at + 1)) places.push(at);
  let serial = 0;
  return () => {
    const body = Buffer.from(pattern);
    for (const place of places) body.write(String((serial += 1)).padStart(placeholder.length, '0'), place, 'latin1');
    return body;
  };
};
