import { registryEventType, type RegistryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { effectiveMs, isRetired, registryKey } from './entities.ts';
import { type EntityHistory, type EntityVersion, networkOf, type Position, type Registry } from './registry.ts';

/** `data` is valid and in the current schema version. */
export interface RegistryEvent {
  readonly type: string;
  readonly data: unknown;
  /** When the event was appended to the log, in ms since 1970. */
  readonly atMs: number;
  readonly position: Position;
}

/** Versions that begin at the same time keep their log order. */
const place = ({ timeline }: EntityHistory, version: EntityVersion): void => {
  const before = timeline.findLastIndex(({ fromMs }) => fromMs <= version.fromMs);
  timeline.splice(before + 1, 0, version);
};

const putInto = <Key, Member>(sets: Map<Key, Set<Member>>, key: Key, member: Member): void => {
  const known = sets.get(key);
  if (known) known.add(member);
  else sets.set(key, new Set([member]));
};

const indexScreens = ({ devicesOfScreen }: Registry, network: number, entry: EntityHistory<'devices'>): void => {
  const screens = devicesOfScreen.get(network) ?? new Map<string, EntityHistory<'devices'>[]>();
  devicesOfScreen.set(network, screens);
  for (const screen of entry.latest.entity.screen_ids) {
    const devices = screens.get(screen) ?? [];
    if (devices.includes(entry)) continue;
    const after = devices.findIndex(({ first }) => first.position > entry.first.position);
    screens.set(screen, devices.toSpliced(after < 0 ? devices.length : after, 0, entry));
  }
};

const indexDevice = (registry: Registry, network: number, entry: EntityHistory<'devices'>): void => {
  const devices = registry.devicesOfNetwork.get(network) ?? [];
  registry.devicesOfNetwork.set(network, devices);
  if (entry.first === entry.latest) devices.push(entry);
  putInto(registry.devicesOfLocation, entry.latest.entity.location, entry);
  indexScreens(registry, network, entry);
};

const indexLocation = ({ locationsOfSite }: Registry, { site, id }: EntityOf<'locations'>): void =>
  putInto(locationsOfSite, site, id);

const indexFeeder = ({ feedersOfNetwork }: Registry, network: number, entry: EntityHistory<'feeders'>): void => {
  if (entry.first !== entry.latest) return;
  const feeders = feedersOfNetwork.get(network) ?? [];
  feedersOfNetwork.set(network, feeders);
  feeders.push(entry);
};

const take = (registry: Registry, { kind, change }: RegistryEventType, event: RegistryEvent): void => {
  const data = event.data as EntityOf<RegistryKind>;
  const retired = change === 'Retired' || isRetired(data);
  const entity = retired ? { ...data, retired } : data;
  const network = networkOf(registry, kind, entity);
  const entries: Map<string, EntityHistory> = registry.entries[kind];
  const key = registryKey(kind, entity, network);
  const known = entries.get(key);
  if (known && event.position <= known.latest.position) return;
  const fromMs = known ? (effectiveMs(entity) ?? event.atMs) : -Infinity;
  const { position, atMs: recordedMs } = event;
  const version: EntityVersion = { entity, fromMs, position, recordedMs, retired };
  const entry: EntityHistory = known ?? { key, first: version, latest: version, timeline: [] };
  entries.set(key, entry);
  entry.latest = version;
  place(entry, version);
  if (kind === 'locations') indexLocation(registry, entity as EntityOf<'locations'>);
  if (kind === 'devices' && network !== undefined) indexDevice(registry, network, entry);
  if (kind === 'feeders' && network !== undefined) indexFeeder(registry, network, entry);
  if (kind === 'campaigns' && network !== undefined)
    putInto(registry.campaignIdsOfNetwork, network, (entity as EntityOf<'campaigns'>).external_id);
  if (kind === 'creatives' && network !== undefined)
    putInto(registry.creativeIdsOfNetwork, network, (entity as EntityOf<'creatives'>).external_id);
};

/**
 * Changes the registry in place; ignores events that it has applied before. The first version of an entity also applies to all earlier
 * times.
 */
export const foldRegistry = (registry: Registry, event: RegistryEvent): Registry => {
  const known = registryEventType(event.type);
  if (known) take(registry, known, event);
  return registry;
};
