import { registryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { networkOf, type Registry } from '@popsvc/domain/registry';

const placing: ReadonlySet<RegistryKind> = new Set(['networks', 'sites', 'locations', 'devices', 'metric_definitions']);

/** The network whose places or thresholds an event may change; undefined when it changes none. */
export const touchedNetwork = (registry: Registry, type: string, data: unknown): number | undefined => {
  const kind = registryEventType(type)?.kind;
  return kind && placing.has(kind) ? networkOf(registry, kind, data as EntityOf<RegistryKind>) : undefined;
};
