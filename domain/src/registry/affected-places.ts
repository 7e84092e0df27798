import { registryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { type EntityHistory, networkOf, type Registry } from './registry.ts';

/** `screens`: all screens that the device lists or has ever listed. */
export interface AffectedDevice {
  readonly id: number;
  readonly screens: readonly string[];
}

/** The devices and feeders whose place (site, location, time zone) an event may change. */
export interface AffectedPlaces {
  readonly network: number;
  /** `all`: every device and every unregistered screen of the network. */
  readonly devices: 'all' | readonly AffectedDevice[];
  readonly feeders: readonly number[];
}

const screensOf = ({ timeline }: EntityHistory<'devices'>) => timeline.flatMap(({ entity }) => entity.screen_ids);

const toAffectedDevice = (entry: EntityHistory<'devices'>): AffectedDevice => ({
  id: entry.latest.entity.id,
  screens: [...new Set(screensOf(entry))],
});

const atLocations = ({ devicesOfLocation }: Registry, locations: Iterable<number>): AffectedDevice[] => {
  const devices = new Set([...locations].flatMap((id) => [...(devicesOfLocation.get(id) ?? [])]));
  return [...devices].map(toAffectedDevice);
};

const affectedDeviceOf = (registry: Registry, { id, screen_ids: listed }: EntityOf<'devices'>): AffectedDevice => {
  const entry = registry.entries.devices.get(String(id));
  return { id, screens: [...new Set([...(entry ? screensOf(entry) : []), ...listed])] };
};

const keepsZone = ({ entries }: Registry, { id, timezone }: EntityOf<'networks'>): boolean =>
  entries.networks.get(String(id))?.timeline.every(({ entity }) => entity.timezone === timezone) ?? false;

const affectedByKind: {
  readonly [Kind in RegistryKind]?: (
    registry: Registry,
    entity: EntityOf<Kind>,
  ) => Partial<Pick<AffectedPlaces, 'devices' | 'feeders'>> | undefined;
} = {
  networks: (registry, entity) => (keepsZone(registry, entity) ? undefined : { devices: 'all' }),
  sites: (registry, { id }) => ({ devices: atLocations(registry, registry.locationsOfSite.get(id) ?? []) }),
  locations: (registry, { id }) => ({ devices: atLocations(registry, [id]) }),
  devices: (registry, entity) => ({ devices: [affectedDeviceOf(registry, entity)] }),
  feeders: (_, { id }) => ({ feeders: [id] }),
  metric_definitions: () => ({}),
};

/** Must be called before the event is applied to the registry. */
export const affectedPlaces = (registry: Registry, type: string, data: unknown): AffectedPlaces | undefined => {
  const kind = registryEventType(type)?.kind;
  const entity = data as EntityOf<RegistryKind>;
  const affected = kind && affectedByKind[kind]?.(registry, entity as never);
  const network = affected && networkOf(registry, kind, entity);
  return network === undefined ? undefined : { network, devices: [], feeders: [], ...affected };
};
