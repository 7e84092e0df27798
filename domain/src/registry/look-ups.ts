import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { networkVia } from './references.ts';
import type { Registry } from './registry.ts';

/** An entity as the log last told it; retired ones too (they say so). Keys: `registryKey`. */
export const currentEntity = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  key: string,
): EntityOf<Kind> | undefined => registry.entries[kind].get(key)?.latest.entity;

/** All entities of a kind as the log last told them, retired ones too, in the order of their first registration. */
export const currentEntities = <Kind extends RegistryKind>(registry: Registry, kind: Kind): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].map(({ latest }) => latest.entity);

/** The network an entity belongs to; undefined for apps. */
export const networkOf = (registry: Registry, kind: RegistryKind, given: EntityOf<RegistryKind>): number | undefined =>
  networkVia((of, key) => currentEntity(registry, of, key), kind, given);

const networkOfId = (kind: 'devices' | 'feeders' | 'cameras') => (registry: Registry, id: number) => {
  const found = currentEntity(registry, kind, String(id));
  return found && networkOf(registry, kind, found);
};

/** Networks of entities by id; undefined when the id is not known. Retired ones stay known. */
export const networkOfDevice = networkOfId('devices');
export const networkOfFeeder = networkOfId('feeders');
export const networkOfCamera = networkOfId('cameras');

export const deviceOfFeeder = (registry: Registry, id: number): number | undefined =>
  currentEntity(registry, 'feeders', String(id))?.device;

export const deviceOfCamera = (registry: Registry, id: number): number | undefined =>
  currentEntity(registry, 'cameras', String(id))?.device;
