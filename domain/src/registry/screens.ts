import type { Registry } from './registry.ts';

/** Every screen that a device of the network ever listed, sorted. */
export const screensOf = (registry: Registry, networkId: number): string[] =>
  [...(registry.devicesOfScreen.get(networkId)?.keys() ?? [])].sort();

/** When the registry learned of a screen; Infinity when it did not. */
export const screenToldMs = (registry: Registry, networkId: number, screen: string): number =>
  Math.min(
    ...(registry.devicesOfScreen.get(networkId)?.get(screen) ?? []).flatMap(({ timeline }) =>
      timeline.filter(({ entity }) => entity.screen_ids.includes(screen)).map(({ toldMs }) => toldMs),
    ),
  );
