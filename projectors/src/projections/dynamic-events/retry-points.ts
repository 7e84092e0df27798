import { type MappingRegistered, type QuarantineRetried, registryEventType } from '@popsvc/contracts/events';
import type { EntityOf } from '@popsvc/contracts/registry';
import { networkOf, type Registry } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { TriedAt } from '../../engine/projection.ts';

/** Events that one mapping may release. */
export interface Group {
  readonly network: number;
  readonly vendor: string;
  readonly schemaVersion: string;
}

/** Where in the log events that wait are tried again, and which. */
export interface RetryPoint extends TriedAt {
  readonly network: number;
  /** Those of a schema, which got a mapping; else those that wait for a screen. */
  readonly of: Group | ReadonlySet<string>;
}

/** Whether a point concerns events that wait for screens. */
export const isScreens = (of: RetryPoint['of']): of is ReadonlySet<string> => of instanceof Set;

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
export const screenPoints = ({ devicesOfScreen }: Registry, at: TriedAt): readonly RetryPoint[] =>
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
