import type { PopEvent } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import type { Spot } from './campaigns.ts';
import { type Chance, chanceOf } from './chance.ts';
import type { SimDevice } from './sim-device.ts';
import { hourMs, openWithin } from './open-quarters.ts';

const spotsInLoop = 8;
const dayMs = 24 * hourMs;

const reasons = [
  ['scheduled', 92],
  ['triggered', 5],
  ['programmatic', 2],
  ['filler', 1],
] as const;

export interface HourWish {
  readonly seed: number;
  /** Begins the ids of all events of a run. */
  readonly tag: string;
  readonly hour: number;
}

/** What a device plays in a day, over and over. */
const loopOf = (seed: number, { id }: SimDevice, hour: number, spots: readonly Spot[]): readonly Spot[] =>
  chanceOf(seed, 'loop', id, Math.floor(hour / dayMs))
    .shuffled(spots)
    .slice(0, spotsInLoop);

/** Everything a device played in the hour that begins at `hour`: its loop, screen by screen, while its site is open. */
export const playsOfHour = (device: SimDevice, spots: readonly Spot[], { seed, tag, hour }: HourWish): PopEvent[] => {
  const loop = loopOf(seed, device, hour, spots);
  const idOfHour = instantOf(hour).slice(2, 13).replaceAll(/\D/g, '');
  return device.screens.flatMap((screenId) => {
    const chance = chanceOf(seed, 'plays', screenId, hour);
    let at = chance.int(0, loop.length - 1);
    let count = 0;
    return openWithin(device, hour).flatMap(({ fromMs, toMs }) => {
      const plays: PopEvent[] = [];
      for (let startMs = fromMs + chance.int(0, 2_000); ; at++) {
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
          startReason: chance.weighted(reasons),
        });
        startMs += durationMs + gapMs(chance);
      }
    });
  });
};

/** Players need a moment between two spots, and now and then a longer one: content of the system, which nobody reports. */
const gapMs = (chance: Chance): number => (chance.happens(0.1) ? chance.int(5_000, 15_000) : chance.int(5, 60));
