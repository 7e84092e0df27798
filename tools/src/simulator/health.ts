import type { Heartbeat, Interval } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { type Random, createRandom } from '../rig/random.ts';
import { findOpenPeriods, hourMs, kioskVendorSuffix, type Period, type SimulatedDevice } from './devices.ts';
import type { HourOptions } from './plays.ts';

export const apps = [
  { code: 'player', name: 'Media player' },
  { code: 'kiosk', name: 'Kiosk' },
];

const minuteMs = 60_000;

/** Heartbeats and intervals of a device in one hour. */
export interface Health {
  readonly heartbeats: readonly Heartbeat[];
  /** Intervals in the order they are sent. A later interval supersedes an earlier one with the same start. */
  readonly intervals: readonly Interval[];
}

/** Generates an outage of 6 to 45 minutes with a probability of 1 in 40 per hour, otherwise none. */
const findOutage = (random: Random, hour: number): Period | undefined => {
  if (!random.happens(0.025)) return undefined;
  const fromMs = hour + random.integer(0, 50) * minuteMs;
  return { fromMs, toMs: fromMs + random.integer(6, 45) * minuteMs };
};

const isWithin = (period: Period | undefined, at: number): boolean =>
  period !== undefined && at >= period.fromMs && at < period.toMs;

/** Generates one heartbeat a minute, each with up to 0.9 s of jitter. */
const generateHeartbeats = (random: Random, { fromMs, toMs }: Period, outage: Period | undefined): string[] => {
  const times: string[] = [];
  for (let at = fromMs + random.integer(0, 3_000); at < toMs; at += minuteMs)
    if (!isWithin(outage, at)) times.push(instantOf(at + random.integer(0, 900)));
  return times;
};

/**
 * Generates the two messages that a kiosk app sends for a period when its site is open. The first describes the start of the
 * period and has no end time. The second adds the end time.
 */
const generateIntervals = (deviceId: number, { fromMs, toMs }: Period): Interval[] => {
  const started = { deviceId, appCode: 'kiosk', state: 'running' as const, startedAt: instantOf(fromMs) };
  return [
    { ...started, endedAt: null, lastHeartbeatAt: instantOf(fromMs + minuteMs) },
    { ...started, endedAt: instantOf(toMs), lastHeartbeatAt: instantOf(toMs) },
  ];
};

/**
 * Generates heartbeats for a device and its feeder. For a kiosk, also generates the kiosk app's intervals. While the site is
 * closed, a media player's heartbeats report the player app as stopped.
 */
export const generateHealth = (device: SimulatedDevice, { seed, hour }: Pick<HourOptions, 'seed' | 'hour'>): Health => {
  const random = createRandom(seed, 'health', device.id, hour);
  const outage = findOutage(random, hour);
  const open = findOpenPeriods(device, hour);
  const isOpenAt = (at: string) => open.some((period) => isWithin(period, Date.parse(at)));
  const isKiosk = device.vendor.endsWith(kioskVendorSuffix);
  const whole = { fromMs: hour, toMs: hour + hourMs };
  const ofDevice = generateHeartbeats(random, whole, outage).map((at): Heartbeat =>
    isKiosk
      ? { deviceId: device.id, at }
      : { deviceId: device.id, appCode: 'player', state: isOpenAt(at) ? 'running' : 'stopped', at },
  );
  const { feeder } = device;
  const ofFeeder =
    feeder === undefined
      ? []
      : open.flatMap((period) => generateHeartbeats(random, period, outage)).map((at) => ({ feederId: feeder, at }));
  return {
    heartbeats: [...ofDevice, ...ofFeeder],
    intervals: isKiosk ? open.flatMap((period) => generateIntervals(device.id, period)) : [],
  };
};
