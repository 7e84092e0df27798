import { RegistryFile } from '@popsvc/contracts/registry';
import { type Campaigns, createCampaigns } from './campaigns.ts';
import {
  createDevice,
  idOf,
  kindOf,
  kioskVendorSuffix,
  locationIndexOf,
  playerVendorSuffix,
  type SimulatedDevice,
  siteIndexOf,
  zoneOf,
  type Market,
  markets,
} from './devices.ts';
import { apps } from './health.ts';

export interface SimulatedNetwork {
  readonly id: number;
  readonly name: string;
  /** Vendor names by code. */
  readonly vendors: ReadonlyMap<string, string>;
  readonly devices: readonly SimulatedDevice[];
  readonly campaigns: Campaigns;
  readonly file: Partial<RegistryFile>;
}

const firstNetworkId = 100;

const spots = ['Entrance', 'Main Hall'];

const createList = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Makes a repeated name unique by appending a number: `Name`, `Name 2`, `Name 3`. `uses` is the number of earlier uses. */
const numbered = (name: string, uses: number): string => (uses > 0 ? `${name} ${uses + 1}` : name);

const siteOf = (network: number, market: Market, index: number): RegistryFile['sites'][number] => {
  const { name, hours } = kindOf(index);
  const { places } = market;
  return {
    id: idOf(network, index),
    name: numbered(`${places[index % places.length]!} ${name}`, Math.floor(index / places.length)),
    network,
    timezone: zoneOf(market, index),
    ...(hours && { business_hours: hours }),
  };
};

const placesOf = (network: number, market: Market, devices: readonly SimulatedDevice[]): Partial<RegistryFile> => {
  const locations = devices.length === 0 ? 0 : locationIndexOf(devices.length - 1) + 1;
  const sites = locations === 0 ? 0 : siteIndexOf(locations - 1) + 1;
  return {
    sites: createList(sites, (index) => siteOf(network, market, index)),
    locations: createList(locations, (index) => ({
      id: idOf(network, index),
      name: spots[index % spots.length]!,
      site: idOf(network, siteIndexOf(index)),
    })),
    devices: devices.map(({ id, name, location, screens }) => ({ id, name, location, screen_ids: [...screens] })),
    feeders: devices.flatMap(({ id: device, feeder: id }) =>
      id === undefined ? [] : [{ id, name: `Feed of ${device}`, device }],
    ),
    cameras: devices.flatMap(({ id: device, camera: id, feeder }) =>
      id === undefined ? [] : [{ id, name: `Camera of ${device}`, device, feeder }],
    ),
  };
};

/** Creates a network with its vendors, devices and campaigns. */
const createNetwork = (id: number, deviceCount: number): SimulatedNetwork => {
  const market = markets[(id - firstNetworkId) % markets.length]!;
  const name = numbered(market.network, Math.floor((id - firstNetworkId) / markets.length));
  const vendors = new Map([
    [`sim${id}${playerVendorSuffix}`, `${name} player`],
    [`sim${id}${kioskVendorSuffix}`, `${name} kiosk`],
  ]);
  const devices = createList(deviceCount, (index) => createDevice(id, market, [...vendors.keys()], index));
  const campaigns = createCampaigns(id);
  const file: Partial<RegistryFile> = {
    networks: [{ id, name, timezone: market.timezone }],
    vendors: [...vendors].map(([code, vendor]) => ({ code, name: vendor, network: id })),
    ...placesOf(id, market, devices),
    ...campaigns.file,
  };
  return { id, name, vendors, devices, campaigns, file };
};

interface WorldOptions {
  readonly networks: number;
  /** Total number of devices, distributed evenly over the networks. */
  readonly devices: number;
}

/** The simulated networks and the registry file that registers all of them. */
export interface World {
  readonly registry: RegistryFile;
  readonly networks: readonly SimulatedNetwork[];
}

/**
 * Creates networks with ids from 100, and the registry file that registers them. The result does not depend on the seed, and a
 * larger number of devices does not change existing devices, so a later run with more devices only adds entities.
 */
export const createWorld = ({ networks, devices }: WorldOptions): World => {
  const worlds = Array.from({ length: networks }, (_, index) => {
    const share = Math.floor(devices / networks) + (index < devices % networks ? 1 : 0);
    return createNetwork(firstNetworkId + index, share);
  });
  const registry = RegistryFile.parse({ apps });
  for (const { file } of worlds)
    for (const [kind, list] of Object.entries(file)) (registry[kind as keyof RegistryFile] as object[]).push(...list);
  return { registry, networks: worlds };
};
