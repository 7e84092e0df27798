import type { EntityOf } from '@popsvc/contracts/registry';
import { toWeeklyHours, type WeeklyHours } from '../business-hours/index.ts';
import { type EntityHistory, type EntityVersion, type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screens.ts';
import { buildSegments, type Segment } from './segments.ts';

interface ResolvedPlace {
  /** If false, the device or its site is unknown: the ids are 0, and there are no opening hours. */
  readonly known: boolean;
  readonly deviceId: number;
  readonly locationId: number;
  readonly siteId: number;
  /** Time zone of the site, else of the network, else UTC. */
  readonly siteTz: string;
  /** Time zone of the device, else of its site; empty if `known` is false. */
  readonly deviceTz: string;
  /** In minutes since Monday 00:00, site time. */
  readonly opens: number[];
  readonly closes: number[];
}

export type PlaceSegment = ResolvedPlace & Segment;

const beginnings = (entry: EntityHistory | undefined): number[] => entry?.timeline.map(({ fromMs }) => fromMs) ?? [];

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
 * The key '' holds the place of all screens that were never registered. The first registration of a screen also applies to all earlier
 * times.
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

/** Includes retired devices. */
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

export interface FeederSegment extends Segment {
  /** 0 while the feeder is retired. */
  readonly deviceId: number;
}

/** The first registration of a feeder also applies to all earlier times. */
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
