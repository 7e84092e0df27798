import { registryEventType } from '@popsvc/contracts/events';
import type { EntityOf, RegistryKind } from '@popsvc/contracts/registry';
import { networkOf, type Registry } from '@popsvc/domain/registry';

const placing: ReadonlySet<RegistryKind> = new Set(['networks', 'sites', 'locations', 'devices', 'metric_definitions']);

/** The network whose places, thresholds or feeders an event may change; undefined when it changes none. */
export const touchedNetwork = (
  registry: Registry,
  type: string,
  data: unknown,
  withFeeders: boolean,
): number | undefined => {
  const kind = registryEventType(type)?.kind;
  return kind && (placing.has(kind) || (withFeeders && kind === 'feeders'))
    ? networkOf(registry, kind, data as EntityOf<RegistryKind>)
    : undefined;
};
