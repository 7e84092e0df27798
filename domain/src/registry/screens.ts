import { effectiveMs } from './entities.ts';
import { type EntityHistory, type Position, type Registry, versionAt } from './registry.ts';

/** Returns the start of the version in effect at a given time if it lists the screen and is not retired; otherwise undefined. */
const listedSinceMs = (device: EntityHistory<'devices'>, screen: string, instantMs: number): number | undefined => {
  const version = versionAt(device, instantMs);
  return version && !version.retired && version.entity.screen_ids.includes(screen) ? version.fromMs : undefined;
};

/**
 * Returns the device that holds a screen at a given time. If several devices list the screen, the device whose version at that time began
 * last holds it. If several of these versions began at the same time, the device that was registered first holds it.
 */
export const holderAt = (devices: readonly EntityHistory<'devices'>[], screen: string, instantMs: number) => {
  let holder: { device: EntityHistory<'devices'>; since: number } | undefined;
  for (const device of devices) {
    const since = listedSinceMs(device, screen, instantMs);
    if (since !== undefined && (!holder || since > holder.since)) holder = { device, since };
  }
  return holder?.device;
};

/**
 * Returns when a device first listed the screen, in ms since 1970; -Infinity if the first version of a device lists it. That listing also
 * applies to all earlier times.
 */
export const firstListedMs = (devices: readonly EntityHistory<'devices'>[], screen: string): number | undefined => {
  let firstMs: number | undefined;
  for (const device of devices) {
    // Checks each version at its start. At that time the version is in effect, unless a later version has the same start.
    const first = device.timeline.find(({ fromMs }) => listedSinceMs(device, screen, fromMs) !== undefined)?.fromMs;
    if (first !== undefined && (firstMs === undefined || first < firstMs)) firstMs = first;
  }
  return firstMs;
};

/** Limits the history of an entity to the versions up to a given log position. */
type VersionFilter = <Of extends EntityHistory>(entry: Of) => Of;

const everything: VersionFilter = (entry) => entry;
const upTo =
  (last: Position): VersionFilter =>
  (entry) => ({ ...entry, timeline: entry.timeline.filter(({ position }) => position <= last) });

/**
 * Finds the device that holds a screen at a given time and returns its time zone. If the device has no time zone of its own,
 * returns the time zone of its site. Returns undefined if the device is unknown. The result agrees with `screenPlaces`, but only
 * this one screen is computed. If `last` is given, ignores versions after this log position.
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
  // A device without a site counts as unknown, even if it has a time zone of its own.
  return siteZone && (device.timezone ?? siteZone);
};

/** Returns the sorted ids of all screens that any device of a network lists or has ever listed. */
export const listScreens = (registry: Registry, networkId: number): string[] =>
  [...(registry.devicesOfScreen.get(networkId)?.keys() ?? [])].sort();

/**
 * Returns when a screen's registration begins, in ms since 1970: when the first event that lists the screen was appended, or at
 * an earlier `effective_from`. Returns Infinity for an unregistered screen. Unlike this function, `screenPlaces` applies the
 * first listing to all earlier times.
 */
export const screenRegisteredFromMs = (registry: Registry, networkId: number, screen: string): number =>
  Math.min(
    ...(registry.devicesOfScreen.get(networkId)?.get(screen) ?? []).flatMap(({ timeline }) =>
      timeline
        .filter(({ entity }) => entity.screen_ids.includes(screen))
        .map(({ entity, recordedMs }) => Math.min(recordedMs, effectiveMs(entity) ?? recordedMs)),
    ),
  );
