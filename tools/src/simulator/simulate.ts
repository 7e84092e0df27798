import pMap from 'p-map';
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
import { type Delivery, deliveriesOf, type TrafficWish } from './deliveries.ts';
import { inTurns } from './in-turns.ts';
import type { NetworkWorld } from './network-world.ts';
import { paced } from './paced.ts';
import { Sent } from './sent.ts';
import type { World } from './world.ts';

export interface SimulationWish extends TrafficWish {
  /** Events a second at most; undefined: as fast as the service takes them. */
  readonly rate: number | undefined;
  readonly remember: boolean;
  readonly onDelivered: (delivery: Delivery) => void;
}

const sideBySide = 6;

/** Keys for all vendors of the world, for as long as the work takes. */
const withKeys = async <T>(
  { ops }: Pick<ServiceConnection, 'ops'>,
  senders: readonly Sender[],
  work: (keys: ReadonlyMap<string, string>) => Promise<T>,
  keys: ReadonlyMap<string, string> = new Map(),
): Promise<T> => {
  const [sender, ...others] = senders;
  if (!sender) return work(keys);
  return withTemporaryKey(ops, sender, 'simulation', (key) =>
    withKeys({ ops }, others, work, new Map([...keys, [sender.vendor, key]])),
  );
};

const sendersOf = (networks: readonly NetworkWorld[]): Sender[] =>
  networks.flatMap(({ id, vendors }) => [...vendors.keys()].map((vendor) => ({ network: id, vendor })));

/** Registers the world and pushes its traffic over the public interface; resolves with what was sent, network by network. */
export const simulate = async (
  { registry, networks }: World,
  wish: SimulationWish,
  { ops, service }: ServiceConnection,
): Promise<ReadonlyMap<number, Sent>> => {
  // zod allows undefined for optional fields, which JSON omits.
  const body = registry as OpsRequest<'/ops/v1/registry'>;
  await dataOf(ops.POST('/ops/v1/registry', { body, ...withRetries(15_000) }));
  const sent = new Map(networks.map((network) => [network.id, new Sent(network, wish.remember)]));
  const { ingestUrl } = service;
  await withKeys({ ops }, sendersOf(networks), async (keys) => {
    const vendors = new Map<string, VendorPushes>(
      [...keys].map(([vendor, apiKey]) => [vendor, createVendorPushes({ ingestUrl, apiKey })]),
    );
    // Deliveries hold what their intake takes.
    const pushOf = ({ vendor, intake }: Delivery) => vendors.get(vendor)?.[intake] as Push;
    const traffic = inTurns(networks.map((network) => deliveriesOf(network, wish)));
    const deliver = async (delivery: Delivery): Promise<void> => {
      await pushOf(delivery)(delivery.items.map(({ event }) => event));
      sent.get(delivery.network)?.note(delivery);
      wish.onDelivered(delivery);
    };
    await pMap(
      paced(traffic, ({ items }) => items.length, wish.rate),
      deliver,
      { concurrency: sideBySide },
    );
  });
  return sent;
};
