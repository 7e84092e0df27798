import { effectiveMs } from './entities.ts';
import { type EntityHistory, type Position, type Registry, versionAt } from './registry.ts';

const listedSinceMs = (device: EntityHistory<'devices'>, screen: string, instantMs: number): number | undefined => {
  const version = versionAt(device, instantMs);
  return version && !version.retired && version.entity.screen_ids.includes(screen) ? version.fromMs : undefined;
};

/**
 * If several devices list the screen, the one whose version began last holds it; of equal beginnings, the device that was registered
 * first.
 */
export const holderAt = (devices: readonly EntityHistory<'devices'>[], screen: string, instantMs: number) => {
  let holder: { device: EntityHistory<'devices'>; since: number } | undefined;
  for (const device of devices) {
    const since = listedSinceMs(device, screen, instantMs);
    if (since !== undefined && (!holder || since > holder.since)) holder = { device, since };
  }
  return holder?.device;
};

/** In ms since 1970; -Infinity if the first version of a device lists the screen. */
export const firstListedMs = (devices: readonly EntityHistory<'devices'>[], screen: string): number | undefined => {
  let firstMs: number | undefined;
  for (const device of devices) {
    const first = device.timeline.find(({ fromMs }) => listedSinceMs(device, screen, fromMs) !== undefined)?.fromMs;
    if (first !== undefined && (firstMs === undefined || first < firstMs)) firstMs = first;
  }
  return firstMs;
};

/** Limits a history to the versions up to a log position. */
type VersionFilter = <Of extends EntityHistory>(entry: Of) => Of;

const everything: VersionFilter = (entry) => entry;
const upTo =
  (last: Position): VersionFilter =>
  (entry) => ({ ...entry, timeline: entry.timeline.filter(({ position }) => position <= last) });

/** Returns the zone of the device that holds the screen, or of the device's site. Versions after the log position `last` are ignored. */
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

export const listScreens = (registry: Registry, networkId: number): string[] =>
  [...(registry.devicesOfScreen.get(networkId)?.keys() ?? [])].sort();

/**
 * When the first event that lists the screen was appended, or an earlier `effective_from`; ms since 1970. Infinity for an unregistered
 * screen.
 */
export const screenRegisteredFromMs = (registry: Registry, networkId: number, screen: string): number =>
  Math.min(
    ...(registry.devicesOfScreen.get(networkId)?.get(screen) ?? []).flatMap(({ timeline }) =>
      timeline
        .filter(({ entity }) => entity.screen_ids.includes(screen))
        .map(({ entity, recordedMs }) => Math.min(recordedMs, effectiveMs(entity) ?? recordedMs)),
    ),
  );
