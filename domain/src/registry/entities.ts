import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import { stringify } from 'safe-stable-stringify';

type Entity = EntityOf<RegistryKind>;

/** What entities may say of themselves besides their own fields. */
interface Life {
  readonly effective_from?: string | undefined;
  readonly retired?: boolean | undefined;
}

export const isRetired = (entity: Entity): boolean => (entity as Life).retired === true;

/** When an entity says that it takes effect, if it says so. */
export const effectiveMs = (entity: Entity): number | undefined => {
  const { effective_from: from } = entity as Life;
  return from === undefined ? undefined : instantMs(from);
};

/** An entity without what it says of its life. */
export const content = (entity: Entity): Entity =>
  Object.fromEntries(
    Object.entries(entity).filter(([field]) => field !== 'effective_from' && field !== 'retired'),
  ) as unknown as Entity;

/** An entity as events tell it: its instant in the house's form, `retired` only where it is so. */
export const tidy = <Told extends Entity>(entity: Told): Told => {
  const from = effectiveMs(entity);
  return {
    ...content(entity),
    ...(from !== undefined && { effective_from: instantOf(from) }),
    ...(isRetired(entity) && { retired: true }),
  } as Told;
};

/** Whether a file tells of an entity what is stored, retired or not; a missing `effective_from` says nothing. */
export const isSame = (stored: Entity, told: Entity): boolean => {
  const from = effectiveMs(told);
  if (from !== undefined && from !== effectiveMs(stored)) return false;
  return stringify(content(stored)) === stringify(content(told));
};

interface Reference {
  /** Field that holds the id. */
  readonly field: string;
  readonly kind: RegistryKind;
}

/** Which fields name other entities; the first of a kind is the one through which it belongs to a network. */
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

/** The id a field of an entity holds; undefined where it is optional and not given. */
export const referred = (entity: EntityOf<RegistryKind>, field: string): number | undefined =>
  (entity as unknown as Readonly<Record<string, number | undefined>>)[field];

/** Finds an entity; the registry, or the registry as a file would make it. */
export type EntityLookup = <Kind extends RegistryKind>(kind: Kind, key: string) => EntityOf<Kind> | undefined;

/** The network an entity belongs to, by way of what it refers to; undefined for apps and where the way is broken. */
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
 * The key of an entity among its kind, and of its stream. External ids are unique in a network only, and a creative names
 * its campaign, not its network: creatives need the network besides.
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

/** Networks are told apart by this form of their names: trimmed, case ignored, composed characters (decisions 9). */
export const networkNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();
