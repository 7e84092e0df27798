import { piecewise } from './piecewise.ts';
import { type Place, placesIn, type PlaceSegment } from './place.ts';
import { type Registry, versionAt } from './registry.ts';
import { firstListedMs, holderAt } from './screen-holder.ts';

/**
 * Where each screen of a network stood, over all time. The key '' is the network itself: what holds for screens that no
 * device ever listed. The first listing of a screen holds for all earlier times, so that plays which came before the
 * registry learned of it are as if it had always known (decisions 5.5); later, a screen no device lists is unknown.
 */
export const screenPlaces = (registry: Registry, networkId: number): Map<string, PlaceSegment[]> => {
  const { unknownAt, deviceAt, changesOf, networkChanges } = placesIn(registry, networkId);
  const places = new Map([['', piecewise(networkChanges, unknownAt)]]);
  for (const [screen, devices] of registry.devicesOfScreen.get(networkId) ?? []) {
    const learnedMs = firstListedMs(devices, screen) ?? -Infinity;
    const at = (instantMs: number): Place => {
      const holder = versionAt(holderAt(devices, screen, Math.max(instantMs, learnedMs)), instantMs);
      return holder ? deviceAt(holder.entity, instantMs) : unknownAt(instantMs);
    };
    places.set(screen, piecewise([...networkChanges, ...devices.flatMap(changesOf)], at));
  }
  return places;
};

/** Where each device of a network stood, over all time; retired devices too. */
export const devicePlaces = (registry: Registry, networkId: number): Map<number, PlaceSegment[]> => {
  const { unknownAt, deviceAt, changesOf } = placesIn(registry, networkId);
  const places = (registry.devicesOfNetwork.get(networkId) ?? []).map((device): [number, PlaceSegment[]] => {
    const at = (instantMs: number): Place => {
      const version = versionAt(device, instantMs);
      return version ? deviceAt(version.entity, instantMs) : unknownAt(instantMs);
    };
    return [device.first.entity.id, piecewise(changesOf(device), at)];
  });
  return new Map(places);
};
