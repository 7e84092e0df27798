import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import type { IntakeName } from '@popsvc/cli/service-client';
import { chanceOf } from './chance.ts';
import { detectionsOfHour } from './detections-of-hour.ts';
import { healthOfHour } from './health-of-hour.ts';
import type { NetworkWorld } from './network-world.ts';
import { hourMs } from './open-quarters.ts';
import { playsOfHour } from './plays-of-hour.ts';
import { revisionsOf, type Sending, sendingsOf } from './sendings.ts';

/** What a vendor tells, of whatever kind. */
export type Told = PopEvent | Detection | Heartbeat | Interval;

export interface Delivery {
  readonly network: number;
  readonly vendor: string;
  readonly intake: IntakeName;
  /** Of the simulated day, ms since 1970. */
  readonly hour: number;
  readonly items: readonly Sending<Told>[];
}

export interface TrafficWish {
  readonly seed: number;
  readonly tag: string;
  /** Whole hours in ms since 1970; `toMs` does not belong to it. */
  readonly fromMs: number;
  readonly toMs: number;
}

type Lane = readonly [intake: IntakeName, vendor: string];
const mostInBatch = 500;

/** All requests of a network, in the order in which they are made: hour by hour, each hour's events in no order at all. */
export function* deliveriesOf(network: NetworkWorld, wish: TrafficWish): Generator<Delivery> {
  const due = new Map<number, Map<string, Sending<Told>[]>>();

  const plan = (intake: IntakeName, vendor: string, sendings: readonly Sending<Told>[]) => {
    for (const sending of sendings) {
      const lanes = due.get(sending.hour) ?? new Map<string, Sending<Told>[]>();
      due.set(sending.hour, lanes);
      const lane = JSON.stringify([intake, vendor] satisfies Lane);
      const waiting = lanes.get(lane);
      if (waiting) waiting.push(sending);
      else lanes.set(lane, [sending]);
    }
  };

  for (let hour = wish.fromMs; hour < wish.toMs || due.size > 0; hour += hourMs) {
    if (hour < wish.toMs)
      for (const device of network.devices) {
        const chance = chanceOf(wish.seed, 'sending', device.id, hour);
        const at = { seed: wish.seed, tag: wish.tag, hour };
        for (const play of playsOfHour(device, network.campaigns.spots, at))
          plan('plays', device.vendor, sendingsOf(play, hour, chance));
        for (const seen of detectionsOfHour(device, at))
          plan('detections', device.vendor, revisionsOf(seen, hour, chance));
        const { heartbeats, intervals } = healthOfHour(device, at);
        for (const beat of heartbeats) plan('heartbeats', device.vendor, sendingsOf(beat, hour, chance));
        for (const interval of intervals) plan('intervals', device.vendor, sendingsOf(interval, hour, chance));
      }
    const chance = chanceOf(wish.seed, 'batches', network.id, hour);
    for (const [lane, waiting] of due.get(hour) ?? []) {
      const [intake, vendor] = JSON.parse(lane) as Lane;
      const left = chance.shuffled(waiting);
      while (left.length > 0)
        yield {
          network: network.id,
          vendor,
          intake,
          hour,
          items: left.splice(0, chance.int(mostInBatch / 5, mostInBatch)),
        };
    }
    due.delete(hour);
  }
}
