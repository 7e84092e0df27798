import { effectiveMs } from './entities.ts';
import { type EntityHistory, type Position, type Registry, versionAt } from './registry.ts';

const lists = (device: EntityHistory<'devices'>, screen: string, instantMs: number): number | undefined => {
  const version = versionAt(device, instantMs);
  return version && !version.retired && version.entity.screen_ids.includes(screen) ? version.fromMs : undefined;
};

/** Of several devices that list a screen, the one that began to last; of those, the one registered first. */
export const holderAt = (devices: readonly EntityHistory<'devices'>[], screen: string, instantMs: number) => {
  let holder: { device: EntityHistory<'devices'>; since: number } | undefined;
  for (const device of devices) {
    const since = lists(device, screen, instantMs);
    if (since !== undefined && (!holder || since > holder.since)) holder = { device, since };
  }
  return holder?.device;
};

/** When the first device began to list a screen; that listing holds for all earlier times (decisions 5.5). */
export const firstListedMs = (devices: readonly EntityHistory<'devices'>[], screen: string): number | undefined =>
  devices
    .flatMap(({ timeline }) => timeline.map(({ fromMs }) => fromMs))
    .sort((a, b) => a - b)
    .find((fromMs) => holderAt(devices, screen, fromMs));

/** An entry as it was known up to a position of the log. */
type Told = <Of extends EntityHistory>(entry: Of) => Of;

const everything: Told = (entry) => entry;
const upTo =
  (last: Position): Told =>
  (entry) => ({ ...entry, timeline: entry.timeline.filter(({ knownFrom }) => knownFrom <= last) });

/**
 * The zone of the device a screen hung on at an instant, else of its site: what `screenPlaces` says, for one screen and
 * without computing the others. By all that the registry was told, or by what was known up to a position of the log.
 * Undefined while no device is known.
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
  const told = last === undefined ? everything : upTo(last);
  const devices = listing.map(told);
  const learnedMs = firstListedMs(devices, screen) ?? -Infinity;
  const device = versionAt(holderAt(devices, screen, Math.max(instantMs, learnedMs)), instantMs)?.entity;
  const location = device && entries.locations.get(String(device.location));
  const site = location && entries.sites.get(String(versionAt(told(location), instantMs)?.entity.site));
  const siteZone = site && versionAt(told(site), instantMs)?.entity.timezone;
  // A device without a site is not known yet, whatever it says itself.
  return siteZone && (device.timezone ?? siteZone);
};

/** Every screen that a device of the network ever listed, sorted. */
export const listScreens = (registry: Registry, networkId: number): string[] =>
  [...(registry.devicesOfScreen.get(networkId)?.keys() ?? [])].sort();

/**
 * Since when a screen counts as registered: when the registry was told, or from earlier on where it was told to take effect then.
 * Infinity when it was not. (Its place holds for all earlier times too: a play of then was shown there, whoever registered late.)
 */
export const screenRegisteredFromMs = (registry: Registry, networkId: number, screen: string): number =>
  Math.min(
    ...(registry.devicesOfScreen.get(networkId)?.get(screen) ?? []).flatMap(({ timeline }) =>
      timeline
        .filter(({ entity }) => entity.screen_ids.includes(screen))
        .map(({ entity, recordedMs: recordedMs }) => Math.min(recordedMs, effectiveMs(entity) ?? recordedMs)),
    ),
  );
