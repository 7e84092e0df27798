import pMap from 'p-map';
import { setTimeout as sleep } from 'node:timers/promises';
import { printNote } from '@popsvc/cli/output';
import {
  createDynamicPush,
  createVendorPushes,
  dataOf,
  type OpsRequest,
  type Push,
  type ServiceConnection,
  withRetries,
} from '@popsvc/cli/service-client';
import { instantOf } from '@popsvc/contracts/time';
import { findDarkPeriod } from './live-incidents.ts';
import { createRowMapping, generateRows, liveSchema } from './live-rows.ts';
import { createLiveTraffic } from './live-traffic.ts';
import { SentEvents } from './sent.ts';
import { listSenders, registerWorld, withKeys } from './simulate.ts';
import type { World } from './world.ts';

export interface LiveRun {
  readonly seed: number;
  /** Prefix of every event id. */
  readonly tag: string;
  /** How much of the time before the start is sent at once, in hours. */
  readonly hours: number;
  /** How long the run sends in real time, in minutes. */
  readonly minutes: number;
  /** Aborting ends the run in an orderly way. */
  readonly signal: AbortSignal;
}

const minuteMs = 60_000;
const tickMs = 5_000;
const concurrentRequests = 6;
const maxRows = 500;
/** The last vendor stops to send after this time. */
const silentAfterMs = 10 * minuteMs;

/**
 * Registers the simulated networks, sends the traffic of the last hours, and then what happens, as it happens, with incidents: devices and
 * a site that go dark and come back, a vendor that stops, unknown references, late plays and rows that are quarantined.
 */
export const runLive = async (
  world: World,
  { seed, tag, hours, minutes, signal }: LiveRun,
  connection: ServiceConnection,
): Promise<ReadonlyMap<number, SentEvents>> => {
  const { networks } = world;
  const { ops, service } = connection;
  const { ingestUrl } = service;
  await registerWorld(world, connection);
  const startMs = Date.now();
  const senders = listSenders(networks);
  const [rowNetwork, rowVendor] = [networks[0]!, senders[0]!.vendor];
  // Safe cast: the service validates the mapping, and the types differ only in optional fields.
  const body = createRowMapping(rowVendor) as OpsRequest<'/ops/v1/mappings'>;
  await dataOf(ops.POST('/ops/v1/mappings', { body, ...withRetries(15_000) }));
  const silent = { vendor: senders.at(-1)!.vendor, fromMs: startMs + silentAfterMs };
  const sent = new Map(networks.map((network) => [network.id, new SentEvents(network, false)]));
  const traffic = networks.map((network) => createLiveTraffic(network, { seed, tag, silent }));

  const listDark = (atMs: number): readonly string[] =>
    networks.flatMap((network) =>
      network.devices
        .filter((device) => findDarkPeriod(network, device, seed, atMs))
        .map(({ name, id }) => `${name} (${id})`),
    );
  await withKeys({ ops }, senders, async (keys) => {
    const pushes = new Map([...keys].map(([vendor, apiKey]) => [vendor, createVendorPushes({ ingestUrl, apiKey })]));
    const pushRows = createDynamicPush({ ingestUrl, apiKey: keys.get(rowVendor)! }, liveSchema) as Push;
    let noted = 0;
    for (let sentUpTo = startMs - hours * 60 * minuteMs; ;) {
      const nowMs = Date.now();
      const deliveries = traffic.flatMap((each) => each.take(sentUpTo, nowMs));
      await pMap(
        deliveries,
        async (delivery) => {
          // Safe cast: all events of a delivery have the type that its intake accepts.
          await (pushes.get(delivery.vendor)![delivery.intake] as Push)(delivery.items.map(({ event }) => event));
          sent.get(delivery.network)!.add(delivery);
        },
        { concurrency: concurrentRequests },
      );
      const rows = generateRows(rowNetwork, tag, sentUpTo, nowMs);
      for (let at = 0; at < rows.length; at += maxRows) await pushRows(rows.slice(at, at + maxRows));
      sentUpTo = nowMs;
      if (nowMs - noted >= minuteMs) {
        const dark = listDark(nowMs);
        const silentNow = nowMs >= silent.fromMs ? `; silent: vendor ${silent.vendor}` : '';
        printNote(`${instantOf(nowMs)} sent up to now; dark: ${dark.join(', ') || 'no device'}${silentNow}`);
        noted = nowMs;
      }
      const leftMs = startMs + minutes * minuteMs - nowMs;
      if (leftMs <= 0 || signal.aborted) return;
      await sleep(Math.min(tickMs, leftMs), undefined, { signal }).catch(() => undefined);
    }
  });
  return sent;
};
