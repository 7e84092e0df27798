import { type EntityOf, registryKindNames, type RegistryKind } from '@popsvc/contracts/registry';
import { type Registry, versionAt } from './registry.ts';

/** All entities of a kind as they are at an instant, retired ones too, in the order of their first registration. */
export const entitiesAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].flatMap((entry) => versionAt(entry, instantMs)?.entity ?? []);

/** When the next version of anything takes effect; Infinity when none is to come. */
export const nextEffectiveMs = (registry: Registry, afterMs: number): number => {
  let next = Infinity;
  for (const kind of registryKindNames)
    for (const { timeline } of registry.entries[kind].values())
      for (const { fromMs } of timeline) if (fromMs > afterMs && fromMs < next) next = fromMs;
  return next;
};
