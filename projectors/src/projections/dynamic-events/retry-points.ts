import { type MappingRegistered, type QuarantineRetried, registryEventType } from '@popsvc/contracts/events';
import type { EntityOf } from '@popsvc/contracts/registry';
import { networkOf, type Registry } from '@popsvc/domain/registry';
import type { LogItem } from '../../engine/log-items.ts';
import type { AppliedAt } from '../../engine/projection.ts';

/** The same mappings apply to all events of a group. */
export interface SchemaGroup {
  readonly network: number;
  readonly vendor: string;
  readonly schemaVersion: string;
}

export const isSameGroup = (one: SchemaGroup, other: SchemaGroup): boolean =>
  one.network === other.network && one.vendor === other.vendor && one.schemaVersion === other.schemaVersion;

/** An item of the log at which some events in quarantine are retried. */
export interface RetryPoint extends AppliedAt {
  readonly network: number;
  readonly events: SchemaGroup | ReadonlySet<string>;
}

const isScreens = (events: RetryPoint['events']): events is ReadonlySet<string> => events instanceof Set;

export const retryPointOfMapping = (
  { sequence, recordedAtMs }: LogItem,
  { network, mapping }: MappingRegistered,
): RetryPoint => ({
  sequence,
  atMs: recordedAtMs,
  network,
  events: { network, vendor: mapping.vendor, schemaVersion: mapping.schema_version },
});

export const retryPointOfRequest = (
  { sequence, recordedAtMs }: LogItem,
  { network, vendor, schemaVersion }: QuarantineRetried,
): RetryPoint => ({ sequence, atMs: recordedAtMs, network, events: { network, vendor, schemaVersion } });

/** No other registry event makes the time zone of a screen known. */
export const retryPointOfDevice = (
  registry: Registry,
  { type, sequence, recordedAtMs }: LogItem,
  data: unknown,
): RetryPoint | undefined => {
  if (registryEventType(type)?.kind !== 'devices') return undefined;
  const device = data as EntityOf<'devices'>;
  const network = networkOf(registry, 'devices', device);
  if (network === undefined || device.screen_ids.length === 0) return undefined;
  return { sequence, atMs: recordedAtMs, network, events: new Set(device.screen_ids) };
};

export const retriedGroups = (points: readonly RetryPoint[]): readonly SchemaGroup[] =>
  points.flatMap(({ events }) => (isScreens(events) ? [] : [events]));

export const retriedScreens = (points: readonly RetryPoint[]): ReadonlyMap<number, ReadonlySet<string>> => {
  const byNetwork = new Map<number, Set<string>>();
  for (const { network, events } of points) {
    if (!isScreens(events)) continue;
    const screens = byNetwork.get(network) ?? new Set();
    byNetwork.set(network, screens);
    for (const screen of events) screens.add(screen);
  }
  return byNetwork;
};

export type FindNextPoint = (group: SchemaGroup, screens: readonly string[], after: bigint) => RetryPoint | undefined;

/** The points must be sorted by sequence. */
const firstAfter = (points: readonly RetryPoint[], after: bigint): RetryPoint | undefined => {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle]!.sequence > after) high = middle;
    else low = middle + 1;
  }
  return points[low];
};

/**
 * A batch may contain ten thousand device events, so a scan of all points for each waiting event would be slow. The points must be in log
 * order.
 */
export const indexRetryPoints = (points: readonly RetryPoint[]): FindNextPoint => {
  const groupKey = ({ network, vendor, schemaVersion }: SchemaGroup) =>
    JSON.stringify([network, vendor, schemaVersion]);
  const screenKey = (network: number, screen: string) => JSON.stringify([network, screen]);
  const pointsByKey = new Map<string, RetryPoint[]>();
  const add = (key: string, point: RetryPoint) => {
    const known = pointsByKey.get(key);
    if (known) known.push(point);
    else pointsByKey.set(key, [point]);
  };
  for (const point of points) {
    const { network, events } = point;
    if (!isScreens(events)) add(groupKey(events), point);
    else for (const screen of events) add(screenKey(network, screen), point);
  }
  return (group, screens, after) => {
    const keys = [groupKey(group), ...screens.map((screen) => screenKey(group.network, screen))];
    let next: RetryPoint | undefined;
    for (const key of keys) {
      const found = firstAfter(pointsByKey.get(key) ?? [], after);
      if (found && (!next || found.sequence < next.sequence)) next = found;
    }
    return next;
  };
};
