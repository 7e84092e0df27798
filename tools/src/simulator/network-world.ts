import type { RegistryFile } from '@popsvc/contracts/registry';
import { type Campaigns, campaignsOf } from './campaigns.ts';
import { type Market, markets } from './markets.ts';
import {
  idOf,
  kindOf,
  kioskVendorSuffix,
  locationIndexOf,
  playerVendorSuffix,
  type SimDevice,
  simDevice,
  siteIndexOf,
  zoneOf,
} from './sim-device.ts';

export interface NetworkWorld {
  readonly id: number;
  readonly name: string;
  /** Vendor names by code. */
  readonly vendors: ReadonlyMap<string, string>;
  readonly devices: readonly SimDevice[];
  readonly campaigns: Campaigns;
  readonly file: Partial<RegistryFile>;
}

export const firstNetworkId = 100;

const spots = ['Entrance', 'Main Hall'];

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A name that comes up again gets a number. */
const numbered = (name: string, again: number): string => (again > 0 ? `${name} ${again + 1}` : name);

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

const placesOf = (network: number, market: Market, devices: readonly SimDevice[]): Partial<RegistryFile> => {
  const locations = devices.length === 0 ? 0 : locationIndexOf(devices.length - 1) + 1;
  const sites = locations === 0 ? 0 : siteIndexOf(locations - 1) + 1;
  return {
    sites: times(sites, (index) => siteOf(network, market, index)),
    locations: times(locations, (index) => ({
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

/** One network and all that stands in it. */
export const networkWorld = (id: number, deviceCount: number): NetworkWorld => {
  const market = markets[(id - firstNetworkId) % markets.length]!;
  const name = numbered(market.network, Math.floor((id - firstNetworkId) / markets.length));
  const vendors = new Map([
    [`sim${id}${playerVendorSuffix}`, `${name} player`],
    [`sim${id}${kioskVendorSuffix}`, `${name} kiosk`],
  ]);
  const devices = times(deviceCount, (index) => simDevice(id, market, [...vendors.keys()], index));
  const campaigns = campaignsOf(id);
  const file: Partial<RegistryFile> = {
    networks: [{ id, name, timezone: market.timezone }],
    vendors: [...vendors].map(([code, vendor]) => ({ code, name: vendor, network: id })),
    ...placesOf(id, market, devices),
    ...campaigns.file,
  };
  return { id, name, vendors, devices, campaigns, file };
};
