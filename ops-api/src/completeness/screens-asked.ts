import {
  currentEntity,
  type PlaceSegment,
  type Registry,
  screenPlaces,
  listScreens,
  screenRegisteredFromMs,
} from '@popsvc/domain/registry';
import type { Stretch } from './stretch.ts';

export interface ScreensWanted extends Stretch {
  /** Any of them. */
  readonly siteIds?: readonly number[] | undefined;
  /** Screens after this one. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A screen that had a device in the stretch, and which one when. */
export interface ScreenAsked {
  readonly screen: string;
  /** Since when it counts as registered, ms since 1970. */
  readonly sinceMs: number;
  readonly segments: readonly PlaceSegment[];
  /** Where it stood last in the stretch. */
  readonly last: PlaceSegment;
}

/** The segments that a stretch touches; each ends where the next begins. */
export const touching = (segments: readonly PlaceSegment[], { from, to }: Pick<Stretch, 'from' | 'to'>) =>
  segments.filter(({ validFromMs }, index) => {
    const endMs = segments[index + 1]?.validFromMs ?? Infinity;
    return (index === 0 || validFromMs < to) && endMs > from;
  });

/** A page of screens, and one more where there are more. Each is looked up only when its turn comes. */
export const screensAsked = (registry: Registry, wanted: ScreensWanted): ScreenAsked[] => {
  const { network, siteIds, after = '', limit } = wanted;
  const found: ScreenAsked[] = [];
  for (const screen of listScreens(registry, network)) {
    if (screen <= after) continue;
    const segments = screenPlaces(registry, network, [screen]).get(screen) ?? [];
    const last = touching(segments, wanted).findLast(({ known }) => known);
    if (!last || siteIds?.includes(last.siteId) === false) continue;
    found.push({ screen, sinceMs: screenRegisteredFromMs(registry, network, screen), segments, last });
    if (found.length > limit) break;
  }
  return found;
};

/** Names as they are now. */
export const namesOf = (registry: Registry, { deviceId, siteId }: PlaceSegment) => ({
  device_name: currentEntity(registry, 'devices', String(deviceId))?.name ?? '',
  site_name: currentEntity(registry, 'sites', String(siteId))?.name ?? '',
});
