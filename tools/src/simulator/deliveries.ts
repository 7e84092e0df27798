import type { IntakeName } from '@popsvc/cli/service-client';
import type { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import { createRandom, type Random } from '../rig/random.ts';
import { generateDetections } from './detections.ts';
import { hourMs } from './devices.ts';
import { generateHealth } from './health.ts';
import { generatePlays } from './plays.ts';
import type { SimulatedNetwork } from './world.ts';

interface Sending<Event> {
  readonly hour: number;
  readonly event: Event;
  /** Whether an earlier transmission contains the same event or an earlier revision of it. */
  readonly isDuplicate: boolean;
}

/** Chooses the delay until an event is sent: none for 94 % of events, 1 to 6 hours for 5 %, 7 to 40 hours for 1 %. */
const delayHours = (random: Random): number => {
  if (random.happens(0.94)) return 0;
  return random.happens(0.85) ? random.integer(1, 6) : random.integer(7, 40);
};

/** Schedules an event: usually at once, sometimes delayed. 3 % of events are sent again 1 to 12 hours later, in another request. */
const scheduleTransmissions = <Event>(event: Event, hour: number, random: Random): Sending<Event>[] => {
  const first = { hour: hour + delayHours(random) * hourMs, event, isDuplicate: false };
  if (!random.happens(0.03)) return [first];
  return [first, { hour: first.hour + random.integer(1, 12) * hourMs, event, isDuplicate: true }];
};

/**
 * Schedules a detection. 3 % of the detections with watches are sent in two revisions: the first contains only one watch, and the
 * second, an hour later, is complete.
 */
const scheduleRevisions = <Event extends { readonly watches: readonly unknown[] }>(
  event: Event,
  hour: number,
  random: Random,
): Sending<Event>[] => {
  if (event.watches.length === 0 || !random.happens(0.03)) return scheduleTransmissions(event, hour, random);
  const early = { ...event, watches: event.watches.slice(0, 1), revision: 0 };
  const complete = { ...event, revision: 1 };
  const [first, corrected] = [
    scheduleTransmissions(early, hour, random),
    scheduleTransmissions(complete, hour + hourMs, random),
  ];
  return [...first, ...corrected.map((sending) => ({ ...sending, isDuplicate: true }))];
};

/** An event as a vendor sends it to one of the intakes. */
type IntakeEvent = PopEvent | Detection | Heartbeat | Interval;

/** One request that a vendor sends. */
export interface Delivery {
  readonly network: number;
  readonly vendor: string;
  readonly intake: IntakeName;
  /** Simulated hour when the request is sent: the start of the hour, ms since 1970. */
  readonly hour: number;
  readonly items: readonly Sending<IntakeEvent>[];
}

export interface TrafficOptions {
  readonly seed: number;
  /** Prefix of every event id that this run generates. */
  readonly tag: string;
  /** Start of the traffic, ms since 1970. `toMs` is its exclusive end. Both are whole hours. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** Identifies a queue of events that may share a request: events from the same vendor for the same intake. */
type QueueKey = readonly [intake: IntakeName, vendor: string];
const maxBatchSize = 500;

/** Generates all requests for a network in the order they are sent: hour by hour, with each hour's events shuffled. */
export function* generateDeliveries(network: SimulatedNetwork, options: TrafficOptions): Generator<Delivery> {
  const due = new Map<number, Map<string, Sending<IntakeEvent>[]>>();

  const plan = (intake: IntakeName, vendor: string, transmissions: readonly Sending<IntakeEvent>[]) => {
    for (const sending of transmissions) {
      const queues = due.get(sending.hour) ?? new Map<string, Sending<IntakeEvent>[]>();
      due.set(sending.hour, queues);
      const key = JSON.stringify([intake, vendor] satisfies QueueKey);
      const queue = queues.get(key);
      if (queue) queue.push(sending);
      else queues.set(key, [sending]);
    }
  };

  for (let hour = options.fromMs; hour < options.toMs || due.size > 0; hour += hourMs) {
    if (hour < options.toMs)
      for (const device of network.devices) {
        const random = createRandom(options.seed, 'sending', device.id, hour);
        const at = { seed: options.seed, tag: options.tag, hour };
        for (const play of generatePlays(device, network.campaigns.spots, at))
          plan('plays', device.vendor, scheduleTransmissions(play, hour, random));
        for (const detection of generateDetections(device, at))
          plan('detections', device.vendor, scheduleRevisions(detection, hour, random));
        const { heartbeats, intervals } = generateHealth(device, at);
        for (const heartbeat of heartbeats)
          plan('heartbeats', device.vendor, scheduleTransmissions(heartbeat, hour, random));
        for (const interval of intervals)
          plan('intervals', device.vendor, scheduleTransmissions(interval, hour, random));
      }
    const random = createRandom(options.seed, 'batches', network.id, hour);
    for (const [key, queue] of due.get(hour) ?? []) {
      const [intake, vendor] = JSON.parse(key) as QueueKey;
      const left = random.shuffle(queue);
      while (left.length > 0)
        yield {
          network: network.id,
          vendor,
          intake,
          hour,
          items: left.splice(0, random.integer(maxBatchSize / 5, maxBatchSize)),
        };
    }
    due.delete(hour);
  }
}
