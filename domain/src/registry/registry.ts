import { type EntityOf, type RegistryKind, registryKindNames } from '@popsvc/contracts/registry';
import { networkVia } from './entities.ts';

export type Position = bigint | number;

/** A version of an entity, in force until the next one begins. */
export interface EntityVersion<Kind extends RegistryKind = RegistryKind> {
  readonly entity: EntityOf<Kind>;
  /** When the version takes effect, in ms since 1970; -Infinity for the first registration of an entity. */
  readonly fromMs: number;
  readonly position: Position;
  /** When the event was appended to the log, in ms since 1970. */
  readonly recordedMs: number;
  readonly retired: boolean;
}

export interface EntityHistory<Kind extends RegistryKind = RegistryKind> {
  readonly key: string;
  readonly first: EntityVersion<Kind>;
  /** The version whose event comes last in the log. Reports show the names from this version. */
  latest: EntityVersion<Kind>;
  /** All versions, ordered by `fromMs`; versions with equal `fromMs` are in log order. */
  readonly timeline: EntityVersion<Kind>[];
}

type Entries = { readonly [Kind in RegistryKind]: Map<string, EntityHistory<Kind>> };

/** The registry with its history, built by `foldRegistry`. */
export interface Registry {
  readonly entries: Entries;
  /** The devices of each network, by network id. Entries are never removed, since a device never changes its network. */
  readonly devicesOfNetwork: Map<number, EntityHistory<'devices'>[]>;
  /** The devices that are or were at a location, by location id. Entries are never removed. */
  readonly devicesOfLocation: Map<number, Set<EntityHistory<'devices'>>>;
  /** Ids of the locations that belong or have belonged to each site, by site id. Entries are never removed. */
  readonly locationsOfSite: Map<number, Set<number>>;
  /** The feeders of each network, by network id. Entries are never removed, since a feeder never changes its network. */
  readonly feedersOfNetwork: Map<number, EntityHistory<'feeders'>[]>;
  /**
   * The devices that list or listed a screen, in the order of their registration. The outer key is the network id, the inner key
   * the screen id. Entries are never removed.
   */
  readonly devicesOfScreen: Map<number, Map<string, EntityHistory<'devices'>[]>>;
  /** The external ids that campaigns have or had, by network id. Entries are never removed. */
  readonly campaignIdsOfNetwork: Map<number, Set<string>>;
  /** The external ids of the creatives of each network, by network id. Entries are never removed. */
  readonly creativeIdsOfNetwork: Map<number, Set<string>>;
}

export const emptyRegistry = (): Registry => ({
  entries: Object.fromEntries(registryKindNames.map((kind) => [kind, new Map()])) as unknown as Entries,
  devicesOfNetwork: new Map(),
  devicesOfLocation: new Map(),
  locationsOfSite: new Map(),
  feedersOfNetwork: new Map(),
  devicesOfScreen: new Map(),
  campaignIdsOfNetwork: new Map(),
  creativeIdsOfNetwork: new Map(),
});

/**
 * Returns the version in force at a given time: the one that began last. If several versions began at the same time, returns the
 * one whose event is the last in the log.
 */
export const versionAt = <Kind extends RegistryKind>(
  entry: EntityHistory<Kind> | undefined,
  instantMs: number,
): EntityVersion<Kind> | undefined => entry?.timeline.findLast(({ fromMs }) => fromMs <= instantMs);

/** Returns the latest version of an entity, even if it is retired. `registryKey` computes the key. */
export const currentEntity = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  key: string,
): EntityOf<Kind> | undefined => registry.entries[kind].get(key)?.latest.entity;

/** Returns the latest version of every entity of a kind, including retired entities, in order of first registration. */
export const currentEntities = <Kind extends RegistryKind>(registry: Registry, kind: Kind): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].map(({ latest }) => latest.entity);

/** Finds the network that an entity belongs to; undefined for apps, which belong to no network, and if a parent is not registered. */
export const networkOf = (registry: Registry, kind: RegistryKind, given: EntityOf<RegistryKind>): number | undefined =>
  networkVia((of, key) => currentEntity(registry, of, key), kind, given);

const networkOfId = (kind: 'devices' | 'feeders' | 'cameras') => (registry: Registry, id: number) => {
  const found = currentEntity(registry, kind, String(id));
  return found && networkOf(registry, kind, found);
};

/** Finds the network of a device by the device's id, even if the device is retired. Returns undefined for an unknown id. */
export const networkOfDevice = networkOfId('devices');
export const networkOfFeeder = networkOfId('feeders');
export const networkOfCamera = networkOfId('cameras');

/**
 * Returns each entity of a kind in the version that is in force at a given time, even if it is retired. The entities are in the
 * order of their first registration.
 */
export const entitiesAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityOf<Kind>[] => versionsAt(registry, kind, instantMs).map(({ entity }) => entity);

/** Like `entitiesAt`, but returns the versions. */
export const versionsAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityVersion<Kind>[] => [...registry.entries[kind].values()].flatMap((entry) => versionAt(entry, instantMs) ?? []);

/**
 * Returns the earliest time after `afterMs` when a version of any entity takes effect, in ms since 1970. Returns Infinity if
 * there is none.
 */
export const nextEffectiveMs = (registry: Registry, afterMs: number): number => {
  let next = Infinity;
  for (const kind of registryKindNames)
    for (const { timeline } of registry.entries[kind].values())
      for (const { fromMs } of timeline) if (fromMs > afterMs && fromMs < next) next = fromMs;
  return next;
};
