import { buildSegments } from './piecewise.ts';
import { type ResolvedPlace, placeResolver, type PlaceSegment } from './place.ts';
import { type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screen-holder.ts';

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
