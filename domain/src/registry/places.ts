import type { EntityOf } from '@popsvc/contracts/registry';
import { toWeeklyHours, type WeeklyHours } from '../business-hours/index.ts';
import { type EntityHistory, type EntityVersion, type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screens.ts';
import { buildSegments, type Segment } from './segments.ts';

/** Where a device or screen is at a given time. */
interface ResolvedPlace {
  /** Whether the device and its site are known. If not, the ids are 0 and there are no opening hours. */
  readonly known: boolean;
  readonly deviceId: number;
  readonly locationId: number;
  readonly siteId: number;
  /** Time zone of the site, or of the network if the site is unknown. */
  readonly siteTz: string;
  /** Time zone of the device, or of the site if the device has none of its own; empty if the device is unknown. */
  readonly deviceTz: string;
  /** Opening times in minutes since Monday 00:00, site time. The site is open from `opens[i]` until `closes[i]`. */
  readonly opens: number[];
  readonly closes: number[];
}

export type PlaceSegment = ResolvedPlace & Segment;

const beginnings = (entry: EntityHistory | undefined): number[] => entry?.timeline.map(({ fromMs }) => fromMs) ?? [];

/**
 * Creates functions that resolve places in a network. `deviceAt` and `unknownAt` return the place at a given time. `changesOf`
 * returns the times when a device's place may change. Also returns `networkChanges`, an array with the start times of the
 * network's versions.
 */
const placeResolver = (registry: Registry, networkId: number) => {
  const { networks, sites, locations } = registry.entries;
  const weeks = new Map<EntityVersion<'sites'>, WeeklyHours>();
  const weekAt = (site: EntityVersion<'sites'>): WeeklyHours => {
    const week = weeks.get(site) ?? toWeeklyHours(site.entity.business_hours);
    weeks.set(site, week);
    return week;
  };

  const unknownAt = (instantMs: number): ResolvedPlace => {
    const network = versionAt(networks.get(String(networkId)), instantMs);
    const siteTz = network?.entity.timezone ?? 'UTC';
    return { known: false, deviceId: 0, locationId: 0, siteId: 0, siteTz, deviceTz: '', opens: [], closes: [] };
  };

  const deviceAt = (device: EntityOf<'devices'>, instantMs: number): ResolvedPlace => {
    const location = versionAt(locations.get(String(device.location)), instantMs)?.entity;
    const site = location && versionAt(sites.get(String(location.site)), instantMs);
    if (!site) return unknownAt(instantMs);
    const { id: siteId, timezone: siteTz } = site.entity;
    const deviceTz = device.timezone ?? siteTz;
    return { known: true, deviceId: device.id, locationId: location.id, siteId, siteTz, deviceTz, ...weekAt(site) };
  };

  const networkChanges = beginnings(networks.get(String(networkId)));

  /**
   * Returns the times when a device's place may change. These are the start times of all versions of the device, of its current
   * and former locations, and of those locations' current and former sites.
   */
  const changesOf = (device: EntityHistory<'devices'>): number[] => {
    const everLocations = new Set(device.timeline.map(({ entity }) => String(entity.location)));
    const everAt = [...everLocations].flatMap((key) => locations.get(key) ?? []);
    const everSites = new Set(everAt.flatMap(({ timeline }) => timeline.map(({ entity }) => String(entity.site))));
    return [
      ...beginnings(device),
      ...everAt.flatMap(beginnings),
      ...[...everSites].flatMap((key) => beginnings(sites.get(key))),
    ];
  };

  return { unknownAt, deviceAt, changesOf, networkChanges };
};

/**
 * Returns where each screen in a network is over time. The key '' holds the place for all screens that were never registered. The
 * first registration of a screen also applies to all earlier times, so plays received before it get a place. After that, a screen
 * is unknown whenever no device lists it. `only` limits the result to the given screens and ''.
 */
export const screenPlaces = (
  registry: Registry,
  networkId: number,
  only?: Iterable<string>,
): Map<string, PlaceSegment[]> => {
  const { unknownAt, deviceAt, changesOf, networkChanges } = placeResolver(registry, networkId);
  const places = new Map([['', buildSegments(networkChanges, unknownAt)]]);
  const listed = registry.devicesOfScreen.get(networkId);
  for (const screen of only ?? listed?.keys() ?? []) {
    const devices = listed?.get(screen);
    if (!devices) continue;
    const firstListedAtMs = firstListedMs(devices, screen) ?? -Infinity;
    const resolve = (instantMs: number): ResolvedPlace => {
      const holder = versionAt(holderAt(devices, screen, Math.max(instantMs, firstListedAtMs)), instantMs);
      return holder ? deviceAt(holder.entity, instantMs) : unknownAt(instantMs);
    };
    places.set(screen, buildSegments([...networkChanges, ...devices.flatMap(changesOf)], resolve));
  }
  return places;
};

/**
 * Returns where each device in a network is over time. Includes retired devices. `only` limits the result to the given device
 * ids.
 */
export const devicePlaces = (
  registry: Registry,
  networkId: number,
  only?: Iterable<number>,
): Map<number, PlaceSegment[]> => {
  const { unknownAt, deviceAt, changesOf } = placeResolver(registry, networkId);
  const devices = only
    ? [...only].flatMap((id) => registry.entries.devices.get(String(id)) ?? [])
    : (registry.devicesOfNetwork.get(networkId) ?? []);
  const places = devices.map((device): [number, PlaceSegment[]] => {
    const resolve = (instantMs: number): ResolvedPlace => {
      const version = versionAt(device, instantMs);
      return version ? deviceAt(version.entity, instantMs) : unknownAt(instantMs);
    };
    return [device.first.entity.id, buildSegments(changesOf(device), resolve)];
  });
  return new Map(places);
};

/** The device that a feeder belongs to during a segment. */
export interface FeederSegment extends Segment {
  /** 0 while the feeder is retired. */
  readonly deviceId: number;
}

/**
 * Returns which device each feeder in a network belongs to over time. A feeder's first registration also applies to all earlier
 * times, so heartbeats and plays received before it are attributed to a device. `only` limits the result to the given feeder ids.
 */
export const feederPlaces = (
  registry: Registry,
  networkId: number,
  only?: Iterable<number>,
): Map<number, FeederSegment[]> => {
  const feeders = only
    ? [...only].flatMap((id) => registry.entries.feeders.get(String(id)) ?? [])
    : (registry.feedersOfNetwork.get(networkId) ?? []);
  return new Map(
    feeders.map((feeder): [number, FeederSegment[]] => {
      const resolve = (instantMs: number) => {
        const version = versionAt(feeder, instantMs);
        return { deviceId: version && !version.retired ? version.entity.device : 0 };
      };
      return [feeder.first.entity.id, buildSegments(beginnings(feeder), resolve)];
    }),
  );
};
