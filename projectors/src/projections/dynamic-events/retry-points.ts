import { type MappingRegistered, type QuarantineRetried, registryEventType } from '@popsvc/contracts/events';
import type { EntityOf } from '@popsvc/contracts/registry';
import { networkOf, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { AppliedAt } from '../../engine/projection.ts';

/** Events that one mapping may release. */
export interface Group {
  readonly network: number;
  readonly vendor: string;
  readonly schemaVersion: string;
}

/** Where in the log events that wait are tried again, and which. */
export interface RetryPoint extends AppliedAt {
  readonly network: number;
  /** Those of a schema, which got a mapping; else those that wait for a screen. */
  readonly of: Group | ReadonlySet<string>;
}

/** Whether a point concerns events that wait for screens. */
const isScreens = (of: RetryPoint['of']): of is ReadonlySet<string> => of instanceof Set;

export const mappingPoint = (
  { position, recordedAtMs }: LogEvent,
  { network, mapping }: MappingRegistered,
): RetryPoint => ({
  position,
  atMs: recordedAtMs,
  network,
  of: { network, vendor: mapping.vendor, schemaVersion: mapping.schema_version },
});

/** What waits for a schema, because an operator asks. */
export const askedPoint = (
  { position, recordedAtMs }: LogEvent,
  { network, vendor, schemaVersion }: QuarantineRetried,
): RetryPoint => ({ position, atMs: recordedAtMs, network, of: { network, vendor, schemaVersion } });

/** Every screen that devices list, by network: after the registry was learned anew any of them may be known. */
export const screenPoints = ({ devicesOfScreen }: Registry, at: AppliedAt): readonly RetryPoint[] =>
  [...devicesOfScreen].map(([network, screens]) => ({ ...at, network, of: new Set(screens.keys()) }));

/** Only a device that lists a screen can make its zone known. */
export const devicePoint = (
  registry: Registry,
  { type, position, recordedAtMs }: LogEvent,
  data: unknown,
): RetryPoint | undefined => {
  if (registryEventType(type)?.kind !== 'devices') return undefined;
  const device = data as EntityOf<'devices'>;
  const network = networkOf(registry, 'devices', device);
  if (network === undefined || device.screen_ids.length === 0) return undefined;
  return { position, atMs: recordedAtMs, network, of: new Set(device.screen_ids) };
};

/** Schemas that got a mapping. */
export const mappedGroups = (points: readonly RetryPoint[]): readonly Group[] =>
  points.flatMap(({ of }) => (isScreens(of) ? [] : [of]));

/** Screens that devices listed, by network. */
export const listedScreens = (points: readonly RetryPoint[]): ReadonlyMap<number, ReadonlySet<string>> => {
  const listed = new Map<number, Set<string>>();
  for (const { network, of } of points) {
    if (!isScreens(of)) continue;
    const screens = listed.get(network) ?? new Set();
    listed.set(network, screens);
    for (const screen of of) screens.add(screen);
  }
  return listed;
};

export const isSameGroup = (one: Group, other: Group): boolean =>
  one.network === other.network && one.vendor === other.vendor && one.schemaVersion === other.schemaVersion;

/** The first point after a position that concerns an event of a group which waits for these screens. */
export type NextPoint = (group: Group, screens: readonly string[], after: bigint) => RetryPoint | undefined;

/** The first of some points, sorted by position, that stands after one. */
const firstAfter = (points: readonly RetryPoint[], after: bigint): RetryPoint | undefined => {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.position > after) high = middle;
    else low = middle + 1;
  }
  return points[low];
};

/**
 * Points, in the order of the log, by what they concern: ten thousand devices at once are ten thousand points, and each of a
 * page of events asks only for its own.
 */
export const retryIndex = (points: readonly RetryPoint[]): NextPoint => {
  const groupKey = ({ network, vendor, schemaVersion }: Group) => JSON.stringify([network, vendor, schemaVersion]);
  const screenKey = (network: number, screen: string) => JSON.stringify([network, screen]);
  const by = new Map<string, RetryPoint[]>();
  const put = (key: string, point: RetryPoint) => {
    const known = by.get(key);
    if (known) known.push(point);
    else by.set(key, [point]);
  };
  for (const point of points) {
    const { network, of } = point;
    if (!isScreens(of)) put(groupKey(of), point);
    else for (const screen of of) put(screenKey(network, screen), point);
  }
  return (group, screens, after) => {
    const keys = [groupKey(group), ...screens.map((screen) => screenKey(group.network, screen))];
    let next: RetryPoint | undefined;
    for (const key of keys) {
      const found = firstAfter(by.get(key) ?? [], after);
      if (found && (!next || found.position < next.position)) next = found;
    }
    return next;
  };
};
