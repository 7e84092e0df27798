import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

type Entity = EntityOf<RegistryKind>;

/** Lifecycle fields of every entity. */
interface LifecycleFields {
  readonly effective_from?: string | undefined;
  readonly retired?: boolean | undefined;
}

export const isRetired = (entity: Entity): boolean => (entity as LifecycleFields).retired === true;

/** The `effective_from` of an entity in ms, if given. */
export const effectiveMs = (entity: Entity): number | undefined => {
  const { effective_from: from } = entity as LifecycleFields;
  return from === undefined ? undefined : instantMs(from);
};

/** An entity without its lifecycle fields. */
export const content = (entity: Entity): Entity =>
  Object.fromEntries(
    Object.entries(entity).filter(([field]) => field !== 'effective_from' && field !== 'retired'),
  ) as unknown as Entity;

/** Normalizes an entity for its event: `effective_from` in canonical form, `retired` only when true. */
export const normalizeEntity = <Given extends Entity>(entity: Given): Given => {
  const from = effectiveMs(entity);
  return {
    ...content(entity),
    ...(from !== undefined && { effective_from: instantOf(from) }),
    ...(isRetired(entity) && { retired: true }),
  } as Given;
};

/** Compares an entity of a file with the stored one, without `retired`; a missing `effective_from` matches any. */
export const isSame = (stored: Entity, given: Entity): boolean => {
  const from = effectiveMs(given);
  if (from !== undefined && from !== effectiveMs(stored)) return false;
  return stringify(content(stored)) === stringify(content(given));
};

interface Reference {
  /** Field that holds the id. */
  readonly field: string;
  readonly kind: RegistryKind;
}

/** Fields that refer to other entities; the first of a kind leads to the network of the entity. */
export const references: Readonly<Record<RegistryKind, readonly Reference[]>> = {
  networks: [],
  vendors: [{ field: 'network', kind: 'networks' }],
  sites: [{ field: 'network', kind: 'networks' }],
  locations: [{ field: 'site', kind: 'sites' }],
  devices: [{ field: 'location', kind: 'locations' }],
  feeders: [{ field: 'device', kind: 'devices' }],
  cameras: [
    { field: 'device', kind: 'devices' },
    { field: 'feeder', kind: 'feeders' },
  ],
  apps: [],
  campaigns: [{ field: 'network', kind: 'networks' }],
  creatives: [{ field: 'campaign', kind: 'campaigns' }],
  metric_definitions: [{ field: 'network', kind: 'networks' }],
};

/** The id in a reference field of an entity; undefined for a missing optional field. */
export const referred = (entity: EntityOf<RegistryKind>, field: string): number | undefined =>
  (entity as unknown as Readonly<Record<string, number | undefined>>)[field];

/** Looks up an entity in the registry, or in the registry with a file applied. */
export type EntityLookup = <Kind extends RegistryKind>(kind: Kind, key: string) => EntityOf<Kind> | undefined;

/** The network of an entity, found through its references; undefined for apps and for a broken reference. */
export const networkVia = (
  look: EntityLookup,
  kind: RegistryKind,
  entity: EntityOf<RegistryKind>,
): number | undefined => {
  if (kind === 'networks') return (entity as EntityOf<'networks'>).id;
  const [home] = references[kind];
  const parent = home && look(home.kind, String(referred(entity, home.field)));
  return home && parent && networkVia(look, home.kind, parent);
};

/**
 * The key of an entity within its kind, also the key of its stream. External ids are unique within a network only, and a
 * creative refers to its campaign, not to its network: the key of a creative requires the network as an argument.
 */
export const registryKey = (kind: RegistryKind, entity: EntityOf<RegistryKind>, network?: number): string => {
  if (kind === 'metric_definitions') {
    const definition = entity as EntityOf<'metric_definitions'>;
    return `${definition.network}/${definition.version}`;
  }
  if ('id' in entity) return String(entity.id);
  if ('code' in entity) return entity.code;
  if (network === undefined) throw new Error('The key of a creative needs the network of its campaign');
  return `${network}/${(entity as EntityOf<'creatives'>).external_id}`;
};

/** Normalizes a network name for comparison: trimmed, lower case, composed characters (decisions 9). */
export const networkNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
