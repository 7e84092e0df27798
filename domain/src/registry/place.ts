import type { EntityOf } from '@popsvc/contracts/registry';
import { type WeeklyHours, toWeeklyHours } from '../business-hours/index.ts';
import type { Segment } from './piecewise.ts';
import { type EntityHistory, type Registry, type EntityVersion, versionAt } from './registry.ts';

/** Where something stood. */
export interface ResolvedPlace {
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
export const placeResolver = (registry: Registry, networkId: number) => {
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
