import type { IntakeName } from '@popsvc/cli/service-client';
import { createRandom } from '../rig/random.ts';
import type { Delivery } from './deliveries.ts';
import { generateDetections } from './detections.ts';
import { hourMs, type SimulatedDevice } from './devices.ts';
import { generateHealth } from './health.ts';
import { chooseDelayMs, findDarkPeriod, maxDelayMs, misspell } from './live-incidents.ts';
import { generatePlays } from './plays.ts';
import type { SimulatedNetwork } from './world.ts';

export interface LiveOptions {
  readonly seed: number;
  /** Prefix of every event id. */
  readonly tag: string;
  /** The vendor that stops to send, and when, in ms since 1970. */
  readonly silent: { readonly vendor: string; readonly fromMs: number } | undefined;
}

/** An event and when it is sent, in ms since 1970. */
interface DueEvent {
  readonly dueMs: number;
  readonly intake: IntakeName;
  readonly event: Delivery['items'][number]['event'];
}

const minuteMs = 60_000;
const maxBatchSize = 500;

/** Generates the events of a device in an hour, with the times at which it sends them. */
const generateHour = (
  network: SimulatedNetwork,
  device: SimulatedDevice,
  hour: number,
  options: LiveOptions,
): DueEvent[] => {
  const { seed } = options;
  const random = createRandom(seed, 'live', device.id, hour);
  const at = { seed, tag: options.tag, hour };
  /** A dark device sends later what it has stored. */
  const whenSent = (readyMs: number) => findDarkPeriod(network, device, seed, readyMs)?.toMs ?? readyMs;
  const { heartbeats, intervals } = generateHealth(device, at);
  return [
    ...generatePlays(device, network.campaigns.spots, at).map((play): DueEvent => {
      const endMs = Date.parse(play.playedAt) + play.durationMs;
      return { dueMs: whenSent(endMs + chooseDelayMs(random)), intake: 'plays', event: misspell(play, random) };
    }),
    ...generateDetections(device, at).map((event): DueEvent => ({
      dueMs: whenSent(Date.parse(event.endedAt)),
      intake: 'detections',
      event,
    })),
    ...heartbeats
      .filter((event) => !findDarkPeriod(network, device, seed, Date.parse(event.at)))
      .map((event): DueEvent => ({ dueMs: Date.parse(event.at), intake: 'heartbeats', event })),
    ...intervals.map((event): DueEvent => {
      const readyMs = event.endedAt ? Date.parse(event.endedAt) : Date.parse(event.startedAt) + minuteMs;
      return { dueMs: whenSent(readyMs), intake: 'intervals', event };
    }),
  ];
};

export interface LiveTraffic {
  /** Returns what the network sends after `fromMs` and up to `toMs`. The same options make the same events. */
  take(fromMs: number, toMs: number): readonly Delivery[];
}

export const createLiveTraffic = (network: SimulatedNetwork, options: LiveOptions): LiveTraffic => {
  /** The events of the hours that may still be due, by hour and vendor. */
  const hours = new Map<number, ReadonlyMap<string, readonly DueEvent[]>>();
  const readHour = (hour: number) => {
    const known = hours.get(hour);
    if (known) return known;
    const byVendor = new Map<string, DueEvent[]>();
    for (const device of network.devices)
      byVendor.set(device.vendor, [
        ...(byVendor.get(device.vendor) ?? []),
        ...generateHour(network, device, hour, options),
      ]);
    hours.set(hour, byVendor);
    return byVendor;
  };
  const isSent = (vendor: string, dueMs: number): boolean =>
    vendor !== options.silent?.vendor || dueMs < options.silent.fromMs;
  return {
    take(fromMs, toMs) {
      const first = Math.floor((fromMs - maxDelayMs) / hourMs) * hourMs;
      const batches = new Map<string, { vendor: string; intake: IntakeName; due: DueEvent[] }>();
      for (let hour = first; hour <= toMs; hour += hourMs)
        for (const [vendor, events] of readHour(hour))
          for (const event of events) {
            if (event.dueMs <= fromMs || event.dueMs > toMs || !isSent(vendor, event.dueMs)) continue;
            const key = `${vendor} ${event.intake}`;
            const batch = batches.get(key) ?? { vendor, intake: event.intake, due: [] };
            batches.set(key, batch);
            batch.due.push(event);
          }
      for (const hour of hours.keys()) if (hour < first) hours.delete(hour);
      return [...batches.values()].flatMap(({ vendor, intake, due }) => {
        const sorted = due.toSorted((a, b) => a.dueMs - b.dueMs);
        const deliveries: Delivery[] = [];
        while (sorted.length > 0) {
          const items = sorted
            .splice(0, maxBatchSize)
            .map(({ event, dueMs }) => ({ hour: Math.floor(dueMs / hourMs) * hourMs, event, isDuplicate: false }));
          deliveries.push({ network: network.id, vendor, intake, hour: items[0]!.hour, items });
        }
        return deliveries;
      });
    },
  };
};
