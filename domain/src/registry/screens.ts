import { effectiveMs } from './entities.ts';
import { type EntityHistory, type Position, type Registry, versionAt } from './registry.ts';

const lists = (device: EntityHistory<'devices'>, screen: string, instantMs: number): number | undefined => {
  const version = versionAt(device, instantMs);
  return version && !version.retired && version.entity.screen_ids.includes(screen) ? version.fromMs : undefined;
};

/** Of several devices that list a screen, the one that began last; of several of these, the one registered first. */
export const holderAt = (devices: readonly EntityHistory<'devices'>[], screen: string, instantMs: number) => {
  let holder: { device: EntityHistory<'devices'>; since: number } | undefined;
  for (const device of devices) {
    const since = lists(device, screen, instantMs);
    if (since !== undefined && (!holder || since > holder.since)) holder = { device, since };
  }
  return holder?.device;
};

/** When a device first listed the screen; this listing holds for all earlier times (decisions 5.5). */
export const firstListedMs = (devices: readonly EntityHistory<'devices'>[], screen: string): number | undefined =>
  devices
    .flatMap(({ timeline }) => timeline.map(({ fromMs }) => fromMs))
    .sort((a, b) => a - b)
    .find((fromMs) => holderAt(devices, screen, fromMs));

/** Limits a history to the versions known at some position of the log. */
type VersionFilter = <Of extends EntityHistory>(entry: Of) => Of;

const everything: VersionFilter = (entry) => entry;
const upTo =
  (last: Position): VersionFilter =>
  (entry) => ({ ...entry, timeline: entry.timeline.filter(({ knownFrom }) => knownFrom <= last) });

/**
 * The zone of the device of a screen at an instant, else of its site. Agrees with `screenPlaces`, without computing the other
 * screens. With `last`, only versions known up to this log position count. Undefined while the device is unknown.
 */
export const screenZone = (
  { entries, devicesOfScreen }: Registry,
  networkId: number,
  screen: string,
  instantMs: number,
  last?: Position,
): string | undefined => {
  const listing = devicesOfScreen.get(networkId)?.get(screen);
  if (!listing) return undefined;
  const filter = last === undefined ? everything : upTo(last);
  const devices = listing.map(filter);
  const firstListedAtMs = firstListedMs(devices, screen) ?? -Infinity;
  const device = versionAt(holderAt(devices, screen, Math.max(instantMs, firstListedAtMs)), instantMs)?.entity;
  const location = device && entries.locations.get(String(device.location));
  const site = location && entries.sites.get(String(versionAt(filter(location), instantMs)?.entity.site));
  const siteZone = site && versionAt(filter(site), instantMs)?.entity.timezone;
  // Without a site the device counts as unknown, even if it has its own zone.
  return siteZone && (device.timezone ?? siteZone);
};

/** All screens that a device of the network ever listed, sorted. */
export const listScreens = (registry: Registry, networkId: number): string[] =>
  [...(registry.devicesOfScreen.get(networkId)?.keys() ?? [])].sort();

/**
 * From when on a screen counts as registered: the append of its registration, or an earlier `effective_from`. Infinity for an
 * unregistered screen. (The place of the screen also holds for all earlier times, see `screenPlaces`.)
 */
export const screenRegisteredFromMs = (registry: Registry, networkId: number, screen: string): number =>
  Math.min(
    ...(registry.devicesOfScreen.get(networkId)?.get(screen) ?? []).flatMap(({ timeline }) =>
      timeline
        .filter(({ entity }) => entity.screen_ids.includes(screen))
        .map(({ entity, recordedMs: recordedMs }) => Math.min(recordedMs, effectiveMs(entity) ?? recordedMs)),
    ),
  );
