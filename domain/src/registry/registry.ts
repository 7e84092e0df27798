import { type EntityOf, registryKindNames, type RegistryKind } from '@popsvc/contracts/registry';
import type { Position } from '../audience/index.ts';

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
