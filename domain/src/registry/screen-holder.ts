import { type EntityHistory, versionAt } from './registry.ts';

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
