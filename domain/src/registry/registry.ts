import { type EntityOf, type RegistryKind, registryKindNames } from '@popsvc/contracts/registry';
import { networkVia } from './entities.ts';

export type Position = bigint | number;

export interface EntityVersion<Kind extends RegistryKind = RegistryKind> {
  readonly entity: EntityOf<Kind>;
  /** In ms since 1970; -Infinity for the first registration of an entity. */
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
  /** Ordered by `fromMs`; versions with equal `fromMs` are in log order. */
  readonly timeline: EntityVersion<Kind>[];
}

type Entries = { readonly [Kind in RegistryKind]: Map<string, EntityHistory<Kind>> };

/** Built by `foldRegistry`, which never removes entries from the maps and sets. */
export interface Registry {
  readonly entries: Entries;
  readonly devicesOfNetwork: Map<number, EntityHistory<'devices'>[]>;
  /** The devices that are or were at a location. */
  readonly devicesOfLocation: Map<number, Set<EntityHistory<'devices'>>>;
  /** Ids of the locations that belong or have belonged to a site. */
  readonly locationsOfSite: Map<number, Set<number>>;
  readonly feedersOfNetwork: Map<number, EntityHistory<'feeders'>[]>;
  /** By network and screen: the devices that list or listed the screen, in the order of their registration. */
  readonly devicesOfScreen: Map<number, Map<string, EntityHistory<'devices'>[]>>;
  /** The external ids that campaigns of a network have or had. */
  readonly campaignIdsOfNetwork: Map<number, Set<string>>;
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

/** If several versions began at the same time, returns the one whose event is the last in the log. */
export const versionAt = <Kind extends RegistryKind>(
  entry: EntityHistory<Kind> | undefined,
  instantMs: number,
): EntityVersion<Kind> | undefined => entry?.timeline.findLast(({ fromMs }) => fromMs <= instantMs);

/** Returns the latest version, even if it is retired. */
export const currentEntity = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  key: string,
): EntityOf<Kind> | undefined => registry.entries[kind].get(key)?.latest.entity;

/** Includes retired entities, in order of first registration. */
export const currentEntities = <Kind extends RegistryKind>(registry: Registry, kind: Kind): EntityOf<Kind>[] =>
  [...registry.entries[kind].values()].map(({ latest }) => latest.entity);

/** Returns undefined for apps, which belong to no network, and if a parent is not registered. */
export const networkOf = (registry: Registry, kind: RegistryKind, given: EntityOf<RegistryKind>): number | undefined =>
  networkVia((of, key) => currentEntity(registry, of, key), kind, given);

const networkOfId = (kind: 'devices' | 'feeders' | 'cameras') => (registry: Registry, id: number) => {
  const found = currentEntity(registry, kind, String(id));
  return found && networkOf(registry, kind, found);
};

export const networkOfDevice = networkOfId('devices');
export const networkOfFeeder = networkOfId('feeders');
export const networkOfCamera = networkOfId('cameras');

/** Includes retired entities, in order of first registration. */
export const entitiesAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityOf<Kind>[] => versionsAt(registry, kind, instantMs).map(({ entity }) => entity);

export const versionsAt = <Kind extends RegistryKind>(
  registry: Registry,
  kind: Kind,
  instantMs: number,
): EntityVersion<Kind>[] => [...registry.entries[kind].values()].flatMap((entry) => versionAt(entry, instantMs) ?? []);

/** Returns the earliest time after `afterMs` when a version takes effect, or Infinity. */
export const nextEffectiveMs = (registry: Registry, afterMs: number): number => {
  let next = Infinity;
  for (const kind of registryKindNames)
    for (const { timeline } of registry.entries[kind].values())
      for (const { fromMs } of timeline) if (fromMs > afterMs && fromMs < next) next = fromMs;
  return next;
};
