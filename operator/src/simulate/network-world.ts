import type { RegistryFile } from '@popsvc/contracts/registry';
import { weekOf } from '@popsvc/domain/business-hours';
import { type Campaigns, campaignsOf } from './campaigns.ts';
import { type Market, markets } from './markets.ts';
import { type SiteKind, siteKinds } from './site-kinds.ts';

/** A device as the simulation knows it. */
export interface SimDevice {
  readonly id: number;
  readonly siteId: number;
  readonly screens: readonly string[];
  readonly vendor: string;
  readonly kind: SiteKind;
  readonly timezone: string;
  readonly week: ReturnType<typeof weekOf>;
  /** Undefined: nobody is watched there. */
  readonly feederId: number | undefined;
  readonly cameraId: number | undefined;
  /** How busy its spot is, compared with others of its site. */
  readonly share: number;
}

export interface NetworkWorld {
  readonly id: number;
  readonly name: string;
  /** Vendor names by code. */
  readonly vendors: ReadonlyMap<string, string>;
  readonly devices: readonly SimDevice[];
  readonly campaigns: Campaigns;
  readonly file: Partial<RegistryFile>;
}

const devicesPerLocation = 3;
const locationsPerSite = 2;
const spots = ['Entrance', 'Main Hall'];

/** Ids of a network's things begin with its own. */
const idsOf = (network: number, base: number) => (index: number) => network * base + index + 1;

const siteOf = (network: number, market: Market, index: number) => {
  const kind = siteKinds[index % siteKinds.length]!;
  const place = market.places[index % market.places.length]!;
  const again = Math.floor(index / market.places.length);
  return {
    id: idsOf(network, 10_000)(index),
    name: `${place} ${kind.name}${again > 0 ? ` ${again + 1}` : ''}`,
    network,
    timezone: market.siteZones[index % market.siteZones.length]!,
    ...(kind.hours && { business_hours: kind.hours }),
  };
};

export const networkWorld = (id: number, deviceCount: number): NetworkWorld => {
  const market = markets[id % markets.length]!;
  const again = Math.floor((id - 100) / markets.length);
  const name = `${market.network}${again > 0 ? ` ${again + 1}` : ''}`;
  const vendors = new Map([
    [`sim${id}a`, `${name} player`],
    [`sim${id}b`, `${name} kiosk`],
  ]);
  const codes = [...vendors.keys()];
  const idOf = idsOf(id, 100_000);
  const locationCount = Math.ceil(deviceCount / devicesPerLocation);
  const sites = Array.from({ length: Math.ceil(locationCount / locationsPerSite) }, (_, index) =>
    siteOf(id, market, index),
  );
  const locations = Array.from({ length: locationCount }, (_, index) => ({
    id: idOf(index),
    name: spots[index % spots.length]!,
    site: sites[Math.floor(index / locationsPerSite)]!.id,
  }));
  const devices = Array.from({ length: deviceCount }, (_, index): SimDevice => {
    const siteIndex = Math.floor(index / (devicesPerLocation * locationsPerSite));
    const kind = siteKinds[siteIndex % siteKinds.length]!;
    const screens = index % 10 === 9 ? ['front', 'back'] : ['front'];
    return {
      id: idOf(index),
      siteId: sites[siteIndex]!.id,
      screens: screens.map((side) => `${id}-${index + 1}-${side}`),
      vendor: codes[index % 5 === 4 ? 1 : 0]!,
      kind,
      timezone: sites[siteIndex]!.timezone,
      week: weekOf(kind.hours),
      feederId: index % 4 === 3 ? undefined : idOf(index),
      cameraId: index % 4 === 0 || index % 4 === 1 ? idOf(index) : undefined,
      share: 0.5 + (index % devicesPerLocation) / 2,
    };
  });
  const campaigns = campaignsOf(id);
  const file: Partial<RegistryFile> = {
    networks: [{ id, name, timezone: market.timezone }],
    vendors: [...vendors].map(([code, vendor]) => ({ code, name: vendor, network: id })),
    sites,
    locations,
    devices: devices.map(({ id: device, screens }, index) => ({
      id: device,
      name: `Screen ${index + 1}`,
      location: locations[Math.floor(index / devicesPerLocation)]!.id,
      screen_ids: [...screens],
    })),
    feeders: devices.flatMap(({ id: device, feederId }) =>
      feederId === undefined ? [] : [{ id: feederId, name: `Feed of ${device}`, device }],
    ),
    cameras: devices.flatMap(({ id: device, cameraId, feederId }) =>
      cameraId === undefined || feederId === undefined
        ? []
        : [{ id: cameraId, name: `Camera of ${device}`, device, feeder: feederId }],
    ),
    ...campaigns.file,
  };
  return { id, name, vendors, devices, campaigns, file };
};
