import { toWeeklyHours } from '@popsvc/domain/business-hours';
import type { Market } from './markets.ts';
import { type SiteKind, siteKinds } from './site-kinds.ts';

/** A device as the simulation knows it. */
export interface SimDevice {
  readonly id: number;
  readonly name: string;
  readonly site: number;
  readonly location: number;
  readonly screens: readonly string[];
  readonly vendor: string;
  readonly kind: SiteKind;
  readonly timezone: string;
  readonly week: ReturnType<typeof toWeeklyHours>;
  /** Undefined: nobody is watched there. */
  readonly feeder: number | undefined;
  readonly camera: number | undefined;
  /** How busy its spot is, compared with others of its site. */
  readonly share: number;
}

const devicesPerLocation = 3;
const locationsPerSite = 2;

/** Vendor codes of players and of kiosks end so. */
export const playerVendorSuffix = 'a';
export const kioskVendorSuffix = 'b';

/** Which location and which site of its network a device stands in, counted from 0. */
export const locationIndexOf = (device: number): number => Math.floor(device / devicesPerLocation);
export const siteIndexOf = (location: number): number => Math.floor(location / locationsPerSite);

/** Ids of a network's things begin with its own. */
export const idOf = (network: number, index: number): number => network * 100_000 + index + 1;

export const kindOf = (site: number): SiteKind => siteKinds[site % siteKinds.length]!;
export const zoneOf = ({ siteZones }: Market, site: number): string => siteZones[site % siteZones.length]!;

/** The device of this number, whatever other devices there are. */
export const simDevice = (network: number, market: Market, vendors: readonly string[], index: number): SimDevice => {
  const [id, location] = [idOf(network, index), locationIndexOf(index)];
  const site = siteIndexOf(location);
  const [kind, timezone] = [kindOf(site), zoneOf(market, site)];
  const screens = index % 10 === 9 ? ['front', 'back'] : ['front'];
  const isWatched = index % 4 !== 3;
  return {
    id,
    name: `Screen ${index + 1}`,
    site: idOf(network, site),
    location: idOf(network, location),
    screens: screens.map((side) => `${network}-${index + 1}-${side}`),
    vendor: vendors[index % 5 === 4 ? 1 : 0]!,
    kind,
    timezone,
    week: toWeeklyHours(kind.hours),
    feeder: isWatched ? id : undefined,
    camera: isWatched && index % 4 !== 2 ? id : undefined,
    share: 0.5 + (index % devicesPerLocation) / 2,
  };
};
