import type { Detection } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { toLocalMs } from '@popsvc/contracts/time-zones';
import { createRandom, type Random } from '../rig/random.ts';
import { findOpenPeriods, hourMs, type SimulatedDevice } from './devices.ts';
import type { HourOptions } from './plays.ts';

const spreadHours = 1.6;
/** Number of visitors at times far from a peak hour, as a share of the number in a peak hour. */
const baseShare = 0.12;

const hoursBetween = (hour: number, peak: number): number => {
  const difference = Math.abs(hour - peak);
  return Math.min(difference, 24 - difference);
};

/**
 * Returns the average number of people who pass a device in the hour that starts at `hour`. It is highest at the peak hours of the site.
 */
export const averageVisitors = ({ kind, timezone, share }: SimulatedDevice, hour: number): number => {
  const local = new Date(toLocalMs(hour, timezone));
  const nearest = Math.min(...kind.peaks.map((peak) => hoursBetween(local.getUTCHours(), peak)));
  const busy = baseShare + (1 - baseShare) * Math.exp(-((nearest / spreadHours) ** 2) / 2);
  return kind.peoplePerPeakHour * share * busy * ([0, 6].includes(local.getUTCDay()) ? kind.weekend : 1);
};

const watch = { shortestMs: 300, longestMs: 6_000 };
const longestPresenceMs = 180_000;

const genders = [
  ['female', 47],
  ['male', 46],
  ['unknown', 7],
] as const;
const ages = [
  ['child', 8],
  ['young_adult', 38],
  ['adult', 36],
  ['senior', 13],
  ['unknown', 5],
] as const;
const moods = [
  ['neutral', 55],
  ['happy', 25],
  ['very_happy', 6],
  ['unhappy', 9],
  ['very_unhappy', 2],
  ['unknown', 3],
] as const;

/** Generates up to four watches of 0.3 to 6 s while the person is present; 45 % of the people never watch. */
const generateWatches = (random: Random, startMs: number, endMs: number): Detection['watches'] => {
  const watches: Detection['watches'] = [];
  if (random.happens(0.45)) return watches;
  const most = random.integer(1, 4);
  for (let at = startMs + random.integer(0, 2_000); watches.length < most;) {
    const length = Math.round(watch.shortestMs + (watch.longestMs - watch.shortestMs) * random.fraction() ** 2);
    if (at + length > endMs) break;
    watches.push({ startedAt: instantOf(at), endedAt: instantOf(at + length) });
    at += length + random.integer(400, 4_000);
  }
  return watches;
};

/**
 * Generates how long a person stays in front of the screen: log-normally distributed with a median of 6.8 s, at most 3 minutes.
 */
const generatePresenceMs = (random: Random): number =>
  Math.min(longestPresenceMs, 800 + Math.round(Math.exp(8.7 + 0.75 * random.normal())));

/** Generates the detections that begin in the hour that starts at `hour`; they may end in the next hour. */
export const generateDetections = (device: SimulatedDevice, { seed, tag, hour }: HourOptions): Detection[] => {
  const { id: deviceId, feeder: feederId, camera: cameraId } = device;
  if (feederId === undefined) return [];
  const random = createRandom(seed, 'crowd', deviceId, hour);
  const mean = averageVisitors(device, hour) / hourMs;
  const idOfHour = Math.floor(hour / hourMs) % 10_000;
  let count = 0;
  return findOpenPeriods(device, hour).flatMap(({ fromMs, toMs }) => {
    const expected = mean * (toMs - fromMs);
    const people = Math.max(0, Math.round(expected + Math.sqrt(expected) * random.normal()));
    return Array.from({ length: people }, (): Detection => {
      const startMs = random.integer(fromMs, toMs - 1);
      const endMs = startMs + generatePresenceMs(random);
      const number = ++count;
      const population =
        device.kind.peaks.length === 3 && random.happens(0.1) ? { population: 'FOOTFALL' as const } : {};
      return {
        detectionId: `${tag}-${deviceId}-${idOfHour}-${number}`,
        deviceId,
        feederId,
        ...(cameraId !== undefined && { cameraId }),
        watcherId: deviceId * 1e8 + idOfHour * 1e4 + number,
        startedAt: instantOf(startMs),
        endedAt: instantOf(endMs),
        gender: random.pickWeighted(genders),
        ageCategory: random.pickWeighted(ages),
        mood: random.pickWeighted(moods),
        distance: Array.from({ length: random.integer(1, 3) }, () => random.integer(8, 60) / 10),
        watches: generateWatches(random, startMs, endMs),
        ...population,
      };
    });
  });
};
