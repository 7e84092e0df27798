import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';

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
