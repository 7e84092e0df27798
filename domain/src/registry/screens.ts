import { effectiveMs } from './life.ts';
import type { Registry } from './registry.ts';

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
