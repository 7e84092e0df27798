import { type EntityOf, type RegistryKind, registryKindNames } from '@popsvc/contracts/registry';
import { networkVia } from './entities.ts';

/** A position in the log, as bigint or number. */
export type Position = bigint | number;

/** The version of an entity that holds from an instant on. */
export interface EntityVersion<Kind extends RegistryKind = RegistryKind> {
  readonly entity: EntityOf<Kind>;
  /** -Infinity for an entity's first registration. */
  readonly fromMs: number;
  readonly position: Position;
  /** Log position from which on the version is known: its own, or a later one if the event was parked at first. */
  readonly knownFrom: Position;
  /** When the event was appended. */
  readonly recordedMs: number;
  readonly retired: boolean;
}

/** All versions of one entity. */
export interface EntityHistory<Kind extends RegistryKind = RegistryKind> {
  readonly key: string;
  readonly first: EntityVersion<Kind>;
  /** The last version in the log; reports use its names. */
  latest: EntityVersion<Kind>;
  /** Ordered by `fromMs`; versions of one instant in log order. */
  readonly timeline: EntityVersion<Kind>[];
}

type Entries = { readonly [Kind in RegistryKind]: Map<string, EntityHistory<Kind>> };

/** The registry with its history, built by `foldRegistry`. */
export interface Registry {
  readonly entries: Entries;
  /** Only grows: a device never changes its network. */
  readonly devicesOfNetwork: Map<number, EntityHistory<'devices'>[]>;
  /** Devices that were ever at a location, and locations that ever belonged to a site, by id; these only grow. */
  readonly devicesOfLocation: Map<number, Set<EntityHistory<'devices'>>>;
  readonly locationsOfSite: Map<number, Set<number>>;
  /** Only grows: a feeder never changes its network. */
  readonly feedersOfNetwork: Map<number, EntityHistory<'feeders'>[]>;
  /** By network and screen: the devices that ever listed the screen, in the order of their registration. Only grows. */
  readonly devicesOfScreen: Map<number, Map<string, EntityHistory<'devices'>[]>>;
}

export const emptyRegistry = (): Registry => ({
  entries: Object.fromEntries(registryKindNames.map((kind) => [kind, new Map()])) as unknown as Entries,
  devicesOfNetwork: new Map(),
  devicesOfLocation: new Map(),
  locationsOfSite: new Map(),
  feedersOfNetwork: new Map(),
  devicesOfScreen: new Map(),
});

/** The version in force at an instant: the latest `fromMs` not after it; of several, the last in the log. */
export const versionAt = <Kind extends RegistryKind>(
  entry: EntityHistory<Kind> | undefined,
  instantMs: number,
): EntityVersion<Kind> | undefined => entry?.timeline.findLast(({ fromMs }) => fromMs <= instantMs);

/** The latest version of an entity, also of a retired one. For the key see `registryKey`. */
export const currentEntity = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  key: string,
): EntityOf<Kind> | undefined => registry.entries[kind].get(key)?.latest.entity;

/** The latest versions of all entities of a kind, including retired ones, in the order of their first registration. */
export const currentEntities = <Kind extends RegistryKind>(registry: Registry, kind: Kind): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].map(({ latest }) => latest.entity);

/** The network an entity belongs to; undefined for apps. */
export const networkOf = (registry: Registry, kind: RegistryKind, given: EntityOf<RegistryKind>): number | undefined =>
  networkVia((of, key) => currentEntity(registry, of, key), kind, given);

const networkOfId = (kind: 'devices' | 'feeders' | 'cameras') => (registry: Registry, id: number) => {
  const found = currentEntity(registry, kind, String(id));
  return found && networkOf(registry, kind, found);
};

/** Network of an entity by id, also of a retired one; undefined for an unknown id. */
export const networkOfDevice = networkOfId('devices');
export const networkOfFeeder = networkOfId('feeders');
export const networkOfCamera = networkOfId('cameras');

export const deviceOfFeeder = (registry: Registry, id: number): number | undefined =>
  currentEntity(registry, 'feeders', String(id))?.device;

export const deviceOfCamera = (registry: Registry, id: number): number | undefined =>
  currentEntity(registry, 'cameras', String(id))?.device;

/** The versions of all entities of a kind at an instant, including retired ones, in the order of their first registration. */
export const entitiesAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].flatMap((entry) => versionAt(entry, instantMs)?.entity ?? []);

/** When the next version of any entity takes effect; Infinity when there is none. */
export const nextEffectiveMs = (registry: Registry, afterMs: number): number => {
  let next = Infinity;
  for (const kind of registryKindNames)
    for (const { timeline } of registry.entries[kind].values())
      for (const { fromMs } of timeline) if (fromMs > afterMs && fromMs < next) next = fromMs;
  return next;
};
