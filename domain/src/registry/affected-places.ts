import { registryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { type EntityHistory, networkOf, type Registry } from './registry.ts';

/** A device, and every screen it lists or ever listed. */
export interface AffectedDevice {
  readonly id: number;
  readonly screens: readonly string[];
}

/** What an event may change of the places, thresholds and feeders of a network. */
export interface AffectedPlaces {
  readonly network: number;
  /** Also those of the network that nobody knows, where all of them are. */
  readonly devices: 'all' | readonly AffectedDevice[];
  readonly feeders: readonly number[];
}

const screensOf = ({ timeline }: EntityHistory<'devices'>) => timeline.flatMap(({ entity }) => entity.screen_ids);

const known = (entry: EntityHistory<'devices'>): AffectedDevice => ({
  id: entry.latest.entity.id,
  screens: [...new Set(screensOf(entry))],
});

const atLocations = ({ devicesOfLocation }: Registry, locations: Iterable<number>): AffectedDevice[] => {
  const devices = new Set([...locations].flatMap((id) => [...(devicesOfLocation.get(id) ?? [])]));
  return [...devices].map(known);
};

const device = (registry: Registry, { id, screen_ids: listed }: EntityOf<'devices'>): AffectedDevice => {
  const entry = registry.entries.devices.get(String(id));
  return { id, screens: [...new Set([...(entry ? screensOf(entry) : []), ...listed])] };
};

/** A network that is only renamed leaves everything where it was. */
const keepsZone = ({ entries }: Registry, { id, timezone }: EntityOf<'networks'>): boolean =>
  entries.networks.get(String(id))?.timeline.every(({ entity }) => entity.timezone === timezone) ?? false;

const touching: {
  readonly [Kind in RegistryKind]?: (
    registry: Registry,
    told: EntityOf<Kind>,
  ) => Partial<Pick<AffectedPlaces, 'devices' | 'feeders'>> | undefined;
} = {
  networks: (registry, told) => (keepsZone(registry, told) ? undefined : { devices: 'all' }),
  sites: (registry, { id }) => ({ devices: atLocations(registry, registry.locationsOfSite.get(id) ?? []) }),
  locations: (registry, { id }) => ({ devices: atLocations(registry, [id]) }),
  devices: (registry, told) => ({ devices: [device(registry, told)] }),
  feeders: (_, { id }) => ({ feeders: [id] }),
  metric_definitions: () => ({}),
};

/** Asked before the event is folded; undefined when it changes none of these. What it does not name stays as it was. */
export const affectedPlaces = (registry: Registry, type: string, data: unknown): AffectedPlaces | undefined => {
  const kind = registryEventType(type)?.kind;
  const told = data as EntityOf<RegistryKind>;
  const touched = kind && touching[kind]?.(registry, told as never);
  const network = touched && networkOf(registry, kind, told);
  return network === undefined ? undefined : { network, devices: [], feeders: [], ...touched };
};
