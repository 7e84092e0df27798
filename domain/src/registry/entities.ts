import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

type Entity = EntityOf<RegistryKind>;

interface LifecycleFields {
  readonly effective_from?: string | undefined;
  readonly retired?: boolean | undefined;
}

export const isRetired = (entity: Entity): boolean => (entity as LifecycleFields).retired === true;

export const effectiveMs = (entity: Entity): number | undefined => {
  const { effective_from: from } = entity as LifecycleFields;
  return from === undefined ? undefined : instantMs(from);
};

export const content = (entity: Entity): Entity =>
  Object.fromEntries(
    Object.entries(entity).filter(([field]) => field !== 'effective_from' && field !== 'retired'),
  ) as unknown as Entity;

/** Normalizes an entity for its event: `effective_from` in UTC with milliseconds, and `retired` only if it is true. */
export const normalizeEntity = <Given extends Entity>(entity: Given): Given => {
  const from = effectiveMs(entity);
  return {
    ...content(entity),
    ...(from !== undefined && { effective_from: instantOf(from) }),
    ...(isRetired(entity) && { retired: true }),
  } as Given;
};

/** Ignores `retired`. If the file gives no `effective_from`, any stored value counts as equal. */
export const isSame = (stored: Entity, given: Entity): boolean => {
  const from = effectiveMs(given);
  if (from !== undefined && from !== effectiveMs(stored)) return false;
  return stringify(content(stored)) === stringify(content(given));
};

interface Reference {
  readonly field: string;
  readonly kind: RegistryKind;
}

/** The first reference of a kind is to its parent. The chain of parents ends at the network; an app has no parent. */
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

export const referred = (entity: EntityOf<RegistryKind>, field: string): number | undefined =>
  (entity as unknown as Readonly<Record<string, number | undefined>>)[field];

/** Looks up in the registry, or in the registry as a file would change it. */
export type EntityLookup = <Kind extends RegistryKind>(kind: Kind, key: string) => EntityOf<Kind> | undefined;

/** Returns undefined if a parent does not exist, and for an app, which belongs to no network. */
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

/** Identifies an entity within its kind, and is part of the name of its stream. Throws for a creative if `network` is missing. */
export const registryKey = (kind: RegistryKind, entity: EntityOf<RegistryKind>, network?: number): string => {
  if (kind === 'metric_definitions') {
    const definition = entity as EntityOf<'metric_definitions'>;
    return `${definition.network}/${definition.version}`;
  }
  if ('id' in entity) return String(entity.id);
  if ('code' in entity) return entity.code;
  if (network === undefined) throw new Error('the key of a creative needs the network of its campaign');
  return `${network}/${(entity as EntityOf<'creatives'>).external_id}`;
};

export const networkNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
