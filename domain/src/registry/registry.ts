import { type EntityOf, type RegistryKind, registryKindNames } from '@popsvc/contracts/registry';
import type { Position } from '../audience/index.ts';
import { networkVia } from './entities.ts';

/** An entity as it is from an instant on. */
export interface EntityVersion<Kind extends RegistryKind = RegistryKind> {
  readonly entity: EntityOf<Kind>;
  /** -Infinity for an entity's first registration. */
  readonly fromMs: number;
  readonly position: Position;
  /** From where in the log on it is known: its position, or further on where it was set aside at first. */
  readonly knownFrom: Position;
  /** When it was told. */
  readonly recordedMs: number;
  readonly retired: boolean;
}

/** All that the log told of one entity. */
export interface EntityHistory<Kind extends RegistryKind = RegistryKind> {
  readonly key: string;
  readonly first: EntityVersion<Kind>;
  /** The last in the log: names are its names. */
  latest: EntityVersion<Kind>;
  /** By `fromMs`, those of one instant in the order of the log. */
  readonly timeline: EntityVersion<Kind>[];
}

type Entries = { readonly [Kind in RegistryKind]: Map<string, EntityHistory<Kind>> };

/** The registry as the log told it, with its past. Built by `foldRegistry`, read through the look-ups. */
export interface Registry {
  readonly entries: Entries;
  /** A device never leaves its network, so this only grows. */
  readonly devicesOfNetwork: Map<number, EntityHistory<'devices'>[]>;
  /** Devices that ever stood at a location, and locations that were ever a site's, by id; these only grow. */
  readonly devicesOfLocation: Map<number, Set<EntityHistory<'devices'>>>;
  readonly locationsOfSite: Map<number, Set<number>>;
  /** A feeder does not leave its network, either. */
  readonly feedersOfNetwork: Map<number, EntityHistory<'feeders'>[]>;
  /** By network and screen, the devices that ever listed it in the order of their registration; this only grows, too. */
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

/** The version in force at an instant: the greatest beginning not after it, of several the later in the log. */
export const versionAt = <Kind extends RegistryKind>(
  entry: EntityHistory<Kind> | undefined,
  instantMs: number,
): EntityVersion<Kind> | undefined => entry?.timeline.findLast(({ fromMs }) => fromMs <= instantMs);

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
