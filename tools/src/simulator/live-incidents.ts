import type { PopEvent } from '@popsvc/contracts/commands';
import { createRandom, type Random } from '../rig/random.ts';
import { hourMs, type Period, type SimulatedDevice } from './devices.ts';
import type { SimulatedNetwork } from './world.ts';

const minuteMs = 60_000;

/** In each of these spans, one device of a network is dark for the period. */
const deviceSpanMs = 15 * minuteMs;
const devicePeriod = { fromMs: 3 * minuteMs, toMs: 12 * minuteMs };

/** In each hour, all devices of the first site of a network are dark for this period. It ends with that of a single device. */
const sitePeriod = { fromMs: 47 * minuteMs, toMs: 57 * minuteMs };

const periodWithin = (spanStart: number, { fromMs, toMs }: Period, atMs: number): Period | undefined =>
  atMs >= spanStart + fromMs && atMs < spanStart + toMs
    ? { fromMs: spanStart + fromMs, toMs: spanStart + toMs }
    : undefined;

/**
 * Returns the period in which a device is dark at an instant; undefined if it is not. A dark device sends nothing. Afterwards it sends the
 * plays and detections that it stored, and no heartbeats of that time.
 */
export const findDarkPeriod = (
  { id, devices }: SimulatedNetwork,
  device: SimulatedDevice,
  seed: number,
  atMs: number,
): Period | undefined => {
  const ofSite =
    device.site === devices[0]?.site ? periodWithin(Math.floor(atMs / hourMs) * hourMs, sitePeriod, atMs) : undefined;
  if (ofSite) return ofSite;
  const span = Math.floor(atMs / deviceSpanMs);
  const chosen = devices[createRandom(seed, 'dark', id, span).integer(0, devices.length - 1)];
  return chosen === device ? periodWithin(span * deviceSpanMs, devicePeriod, atMs) : undefined;
};

/** Changes about 1 in 80 plays: it names a creative or a campaign that the registry does not contain. */
export const misspell = (play: PopEvent, random: Random): PopEvent => {
  if (random.happens(0.01)) return { ...play, creativeId: `${play.creativeId}X` };
  return random.happens(0.003) ? { ...play, campaignId: 'ORD-99' } : play;
};

/** Chooses how much later than its end a play arrives: 2 % of the plays arrive 5 to 30 minutes later. */
export const chooseDelayMs = (random: Random): number => (random.happens(0.02) ? random.integer(5, 30) * minuteMs : 0);

/** The longest time from the hour of an event to its arrival. */
export const maxDelayMs = 2 * hourMs;
