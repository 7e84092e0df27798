import type { Position } from '../audience/index.ts';
import { type EntityHistory, type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screen-holder.ts';

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
