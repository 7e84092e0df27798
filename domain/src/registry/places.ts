import type { EntityOf } from '@popsvc/contracts/registry';
import { toWeeklyHours, type WeeklyHours } from '../business-hours/index.ts';
import { type EntityHistory, type EntityVersion, type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screens.ts';
import { buildSegments, type Segment } from './segments.ts';

/** Where something stood. */
interface ResolvedPlace {
  /** False where only the network is known: then the ids are 0 and the hours empty. */
  readonly known: boolean;
  readonly deviceId: number;
  readonly locationId: number;
  readonly siteId: number;
  /** Zone of the site, else the network's. */
  readonly siteTz: string;
  /** Zone of the device, else the site's; empty when the device is unknown. */
  readonly deviceTz: string;
  /** Opening times in minutes since Monday 00:00, site time. */
  readonly opens: number[];
  readonly closes: number[];
}

export type PlaceSegment = ResolvedPlace & Segment;

const beginnings = (entry: EntityHistory | undefined): number[] => entry?.timeline.map(({ fromMs }) => fromMs) ?? [];

/** Answers where the devices of one network stood at an instant, and when that may have changed. */
const placeResolver = (registry: Registry, networkId: number) => {
  const { networks, sites, locations } = registry.entries;
  const weeks = new Map<EntityVersion<'sites'>, WeeklyHours>();
  const weekAt = (site: EntityVersion<'sites'>): WeeklyHours => {
    const week = weeks.get(site) ?? toWeeklyHours(site.entity.business_hours);
    weeks.set(site, week);
    return week;
  };

  /** What is known of a screen nobody registered. */
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

  /** Beginnings of every version of a device, of the locations it ever stood at, and of their sites. */
  const changesOf = (device: EntityHistory<'devices'>): number[] => {
    const stood = new Set(device.timeline.map(({ entity }) => String(entity.location)));
    const at = [...stood].flatMap((key) => locations.get(key) ?? []);
    const sited = new Set(at.flatMap(({ timeline }) => timeline.map(({ entity }) => String(entity.site))));
    return [
      ...beginnings(device),
      ...at.flatMap(beginnings),
      ...[...sited].flatMap((key) => beginnings(sites.get(key))),
    ];
  };

  return { unknownAt, deviceAt, changesOf, networkChanges };
};

/**
 * Where each screen of a network stood, over all time. The key '' is the network itself: what holds for screens that no
 * device ever listed. The first listing of a screen holds for all earlier times, so that plays which came before the
 * registry learned of it are as if it had always known (decisions 5.5); later, a screen no device lists is unknown.
 * `only`: of these screens, and the network.
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
    const learnedMs = firstListedMs(devices, screen) ?? -Infinity;
    const at = (instantMs: number): ResolvedPlace => {
      const holder = versionAt(holderAt(devices, screen, Math.max(instantMs, learnedMs)), instantMs);
      return holder ? deviceAt(holder.entity, instantMs) : unknownAt(instantMs);
    };
    places.set(screen, buildSegments([...networkChanges, ...devices.flatMap(changesOf)], at));
  }
  return places;
};

/** Where each device of a network stood, over all time; retired devices too. `only`: of these. */
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
    const at = (instantMs: number): ResolvedPlace => {
      const version = versionAt(device, instantMs);
      return version ? deviceAt(version.entity, instantMs) : unknownAt(instantMs);
    };
    return [device.first.entity.id, buildSegments(changesOf(device), at)];
  });
  return new Map(places);
};

/** Whose a feeder was. */
export interface FeederSegment extends Segment {
  /** 0 while the feeder was retired: then it is no device's. */
  readonly deviceId: number;
}

/**
 * Which device each feeder of a network belonged to, over all time. A feeder may move; its first registration holds for all
 * earlier times, so that heartbeats and plays which came before the registry learned of it are as if it had always known.
 * `only`: of these.
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
      const at = (instantMs: number) => {
        const version = versionAt(feeder, instantMs);
        return { deviceId: version && !version.retired ? version.entity.device : 0 };
      };
      const changes = feeder.timeline.map(({ fromMs }) => fromMs);
      return [feeder.first.entity.id, buildSegments(changes, at)];
    }),
  );
};
