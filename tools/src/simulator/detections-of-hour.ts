import type { Detection } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { type Chance, chanceOf } from './chance.ts';
import { crowdAt } from './crowd.ts';
import type { SimDevice } from './sim-device.ts';
import { hourMs, openWithin } from './open-quarters.ts';
import type { HourWish } from './plays-of-hour.ts';

const look = { shortestMs: 300, longestMs: 6_000 };
const longestStayMs = 180_000;

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

/** Looks of 0.3 to 6 s one after the other for as long as the person stays; almost half of all never look. */
const looksWithin = (chance: Chance, startMs: number, endMs: number): Detection['watches'] => {
  const looks: Detection['watches'] = [];
  if (chance.happens(0.45)) return looks;
  const most = chance.int(1, 4);
  for (let at = startMs + chance.int(0, 2_000); looks.length < most;) {
    const length = Math.round(look.shortestMs + (look.longestMs - look.shortestMs) * chance.real() ** 2);
    if (at + length > endMs) break;
    looks.push({ startedAt: instantOf(at), endedAt: instantOf(at + length) });
    at += length + chance.int(400, 4_000);
  }
  return looks;
};

const stayMs = (chance: Chance): number =>
  Math.min(longestStayMs, 800 + Math.round(Math.exp(8.7 + 0.75 * chance.normal())));

/** People who came by in the hour that begins at `hour`; those who came last may stay into the next. */
export const detectionsOfHour = (device: SimDevice, { seed, tag, hour }: HourWish): Detection[] => {
  const { id: deviceId, feeder: feederId, camera: cameraId } = device;
  if (feederId === undefined) return [];
  const chance = chanceOf(seed, 'crowd', deviceId, hour);
  const mean = crowdAt(device, hour) / hourMs;
  const idOfHour = Math.floor(hour / hourMs) % 10_000;
  let count = 0;
  return openWithin(device, hour).flatMap(({ fromMs, toMs }) => {
    const expected = mean * (toMs - fromMs);
    const people = Math.max(0, Math.round(expected + Math.sqrt(expected) * chance.normal()));
    return Array.from({ length: people }, (): Detection => {
      const startMs = chance.int(fromMs, toMs - 1);
      const endMs = startMs + stayMs(chance);
      const number = ++count;
      const population =
        device.kind.peaks.length === 3 && chance.happens(0.1) ? { population: 'FOOTFALL' as const } : {};
      return {
        detectionId: `${tag}-${deviceId}-${idOfHour}-${number}`,
        deviceId,
        feederId,
        ...(cameraId !== undefined && { cameraId }),
        watcherId: deviceId * 1e8 + idOfHour * 1e4 + number,
        startedAt: instantOf(startMs),
        endedAt: instantOf(endMs),
        gender: chance.weighted(genders),
        ageCategory: chance.weighted(ages),
        mood: chance.weighted(moods),
        distance: Array.from({ length: chance.int(1, 3) }, () => chance.int(8, 60) / 10),
        watches: looksWithin(chance, startMs, endMs),
        ...population,
      };
    });
  });
};
