import { registryEventType, type RegistryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import type { Position } from '../audience/index.ts';
import { effectiveMs, isRetired, registryKey } from './entities.ts';
import { type EntityHistory, type EntityVersion, networkOf, type Registry } from './registry.ts';

/** An event of the log, its data already checked and lifted to today's shape. */
export interface RegistryEvent {
  readonly type: string;
  readonly data: unknown;
  /** When it was appended. */
  readonly atMs: number;
  readonly position: Position;
  /** From where in the log on it is known, if that is not where it stands. */
  readonly knownFrom?: Position;
}

/** Places a version after all that begin no later: of one instant, the later in the log stands last. */
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
  const told = event.data as EntityOf<RegistryKind>;
  const retired = change === 'Retired' || isRetired(told);
  const entity = retired ? { ...told, retired } : told;
  const network = networkOf(registry, kind, entity);
  const entries: Map<string, EntityHistory> = registry.entries[kind];
  const key = registryKey(kind, entity, network);
  const known = entries.get(key);
  if (known && event.position <= known.latest.position) return; // told again
  const fromMs = known ? (effectiveMs(entity) ?? event.atMs) : -Infinity;
  const { position, knownFrom = position, atMs: toldMs } = event;
  const version: EntityVersion = { entity, fromMs, position, knownFrom, recordedMs: toldMs, retired };
  const entry: EntityHistory = known ?? { key, first: version, latest: version, timeline: [] };
  entries.set(key, entry);
  entry.latest = version;
  place(entry, version);
  if (kind === 'locations') indexLocation(registry, entity as EntityOf<'locations'>);
  if (kind === 'devices' && network !== undefined) indexDevice(registry, network, entry);
  if (kind === 'feeders' && network !== undefined) indexFeeder(registry, network, entry);
};

/**
 * Takes one event of the log into the registry, which it changes and returns. Events of other kinds, and events told
 * again, change nothing. An entity's first registration holds for all earlier times; what comes later holds from
 * `effective_from`, else from when it was appended.
 */
export const foldRegistry = (registry: Registry, event: RegistryEvent): Registry => {
  const known = registryEventType(event.type);
  if (known) take(registry, known, event);
  return registry;
};
