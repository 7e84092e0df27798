import type { PopEvent } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import type { Spot } from './campaigns.ts';
import { type Random, createRandom } from '../rig/random.ts';
import { findOpenPeriods, hourMs, type SimulatedDevice } from './devices.ts';

const spotsInLoop = 8;
const dayMs = 24 * hourMs;

const reasons = [
  ['scheduled', 92],
  ['triggered', 5],
  ['programmatic', 2],
  ['filler', 1],
] as const;

export interface HourOptions {
  readonly seed: number;
  /** Prefix of every event id that this run generates. */
  readonly tag: string;
  readonly hour: number;
}

/** Chooses the loop of a device: the spots that it repeats all day. All screens of the device show the same loop. */
const createLoop = (seed: number, { id }: SimulatedDevice, hour: number, spots: readonly Spot[]): readonly Spot[] =>
  createRandom(seed, 'loop', id, Math.floor(hour / dayMs))
    .shuffle(spots)
    .slice(0, spotsInLoop);

/** Generates the plays of a device in the hour that starts at `hour`. Each of its screens repeats the loop while the site is open. */
export const generatePlays = (
  device: SimulatedDevice,
  spots: readonly Spot[],
  { seed, tag, hour }: HourOptions,
): PopEvent[] => {
  const loop = createLoop(seed, device, hour, spots);
  const idOfHour = instantOf(hour).slice(2, 13).replaceAll(/\D/g, '');
  return device.screens.flatMap((screenId) => {
    const random = createRandom(seed, 'plays', screenId, hour);
    let at = random.integer(0, loop.length - 1);
    let count = 0;
    return findOpenPeriods(device, hour).flatMap(({ fromMs, toMs }) => {
      const plays: PopEvent[] = [];
      for (let startMs = fromMs + random.integer(0, 2_000); ; at++) {
        const { campaignId, creativeId, durationMs } = loop[at % loop.length]!;
        if (startMs + durationMs > toMs) return plays;
        plays.push({
          eventId: `${tag}-${screenId}-${idOfHour}-${++count}`,
          screenId,
          siteId: String(device.site),
          campaignId,
          creativeId,
          playedAt: instantOf(startMs),
          durationMs,
          startReason: random.pickWeighted(reasons),
        });
        startMs += durationMs + generateGapMs(random);
      }
    });
  });
};

/** Generates the pause between two plays, ms. One in ten is longer, for system content that the player does not report. */
const generateGapMs = (random: Random): number =>
  random.happens(0.1) ? random.integer(5_000, 15_000) : random.integer(5, 60);
