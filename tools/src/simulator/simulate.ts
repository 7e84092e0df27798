import pMap from 'p-map';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '@popsvc/cli/output';
import {
  createVendorPushes,
  dataOf,
  type OpsRequest,
  type Push,
  type Sender,
  type ServiceConnection,
  type VendorPushes,
  withRetries,
  withTemporaryKey,
} from '@popsvc/cli/service-client';
import { type Delivery, generateDeliveries, type TrafficOptions } from './deliveries.ts';
import { SentEvents } from './sent.ts';
import type { SimulatedNetwork, World } from './world.ts';

/** Yields one item from each source in turn, so the networks send concurrently. */
function* interleave<Item>(sources: readonly Iterable<Item>[]): Generator<Item> {
  let iterators = sources.map((source) => source[Symbol.iterator]());
  while (iterators.length > 0) {
    const remaining: typeof iterators = [];
    for (const source of iterators) {
      const next = source.next();
      if (next.done) continue;
      remaining.push(source);
      yield next.value;
    }
    iterators = remaining;
  }
}

/** Yields items no faster than `perSecond` events per second, on average since the first item. */
async function* limitRate<Item>(
  items: Iterable<Item>,
  eventsOf: (item: Item) => number,
  perSecond: number | undefined,
): AsyncGenerator<Item> {
  const began = performance.now();
  let events = 0;
  for (const item of items) {
    if (perSecond !== undefined) {
      const waitMs = began + (events / perSecond) * 1_000 - performance.now();
      if (waitMs > 0) await sleep(waitMs);
    }
    events += eventsOf(item);
    yield item;
  }
}

export interface SimulationOptions extends TrafficOptions {
  /** Maximum events per second; undefined for no limit. */
  readonly rate: number | undefined;
  /** Whether to keep the keys of all plays and the heartbeats of feeders for the verification. */
  readonly remember: boolean;
  readonly onDelivered: (delivery: Delivery) => void;
}

const concurrentRequests = 6;

/** Creates an API key for every sender, calls `work` with the keys by vendor, and then revokes the keys. */
export const withKeys = async <T>(
  { ops }: Pick<ServiceConnection, 'ops'>,
  senders: readonly Sender[],
  work: (keys: ReadonlyMap<string, string>) => Promise<T>,
  keys: ReadonlyMap<string, string> = new Map(),
): Promise<T> => {
  const [sender, ...others] = senders;
  if (!sender) return work(keys);
  return withTemporaryKey(ops, sender, { name: 'simulation', lifetimeMs: 24 * 3_600_000 }, (key) =>
    withKeys({ ops }, others, work, new Map([...keys, [sender.vendor, key]])),
  );
};

export const listSenders = (networks: readonly SimulatedNetwork[]): Sender[] =>
  networks.flatMap(({ id, vendors }) => [...vendors.keys()].map((vendor) => ({ network: id, vendor })));

/** Registers the simulated networks. Throws a CliError if one of their ids belongs to another network. */
export const registerWorld = async ({ registry }: World, { ops }: Pick<ServiceConnection, 'ops'>): Promise<void> => {
  const { networks: registered } = await dataOf(ops.GET('/ops/v1/networks', withRetries(15_000)));
  const names = new Map(registry.networks.map(({ id, name }) => [id, name]));
  const other = registered.find(({ id, name }) => (names.get(id) ?? name) !== name);
  if (other)
    throw new CliError(
      `network ${other.id} is "${other.name}", and the simulator would replace it by a network of its own, whose plays nothing removes: ` +
        'run the simulator with a test installation',
    );
  // Safe cast: the types differ only in optional fields. The zod type also allows `undefined` there, and JSON omits such fields.
  const body = registry as OpsRequest<'/ops/v1/registry'>;
  await dataOf(ops.POST('/ops/v1/registry', { body, ...withRetries(15_000) }));
};

/** Registers the simulated networks and sends their traffic over the public HTTP interface. Resolves with the sent events by network id. */
export const simulate = async (
  world: World,
  options: SimulationOptions,
  connection: ServiceConnection,
): Promise<ReadonlyMap<number, SentEvents>> => {
  const { networks } = world;
  const { ops, service } = connection;
  await registerWorld(world, connection);
  const sent = new Map(networks.map((network) => [network.id, new SentEvents(network, options.remember)]));
  const { ingestUrl } = service;
  await withKeys({ ops }, listSenders(networks), async (keys) => {
    const vendors = new Map<string, VendorPushes>(
      [...keys].map(([vendor, apiKey]) => [vendor, createVendorPushes({ ingestUrl, apiKey })]),
    );
    // Safe cast: all events of a delivery have the type that its intake accepts.
    const pushOf = ({ vendor, intake }: Delivery) => vendors.get(vendor)?.[intake] as Push;
    const traffic = interleave(networks.map((network) => generateDeliveries(network, options)));
    const deliver = async (delivery: Delivery): Promise<void> => {
      await pushOf(delivery)(delivery.items.map(({ event }) => event));
      sent.get(delivery.network)?.add(delivery);
      options.onDelivered(delivery);
    };
    await pMap(
      limitRate(traffic, ({ items }) => items.length, options.rate),
      deliver,
      { concurrency: concurrentRequests },
    );
  });
  return sent;
};
