import { invalidParam } from '@popsvc/contracts/errors';
import { currentEntity, type Registry } from '@popsvc/domain/registry';
import { withDeadline } from '@popsvc/platform/runtime';
import type { RegistryLog } from './registry-log.ts';

/** What a list is asked to be of. */
export interface OfWhat {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly device?: number | undefined;
  readonly feeder?: number | undefined;
  readonly site?: number | undefined;
}

const kinds = [
  ['network', 'networks'],
  ['vendor', 'vendors'],
  ['device', 'devices'],
  ['feeder', 'feeders'],
  ['site', 'sites'],
] as const;

/** Refuses what the registry never heard of, naming the parameter; retired ones are known. */
export const requireKnown = (registry: Registry, of: OfWhat): void => {
  for (const [path, kind] of kinds) {
    const key = of[path];
    if (key !== undefined && !currentEntity(registry, kind, String(key)))
      throw invalidParam(path, `there is no ${path} ${key} in the registry`);
  }
  const { network, vendor } = of;
  if (network === undefined || vendor === undefined || currentEntity(registry, 'vendors', vendor)?.network === network)
    return;
  throw invalidParam('vendor', `there is no vendor ${vendor} in network ${network}`);
};

const patienceMs = 3_000;

/**
 * Nothing was found: refuses where that is because of a name that nobody has, which would look as if all were well. A list depends
 * on the log no more than it did: while that is away, it is empty.
 */
export const refuseUnknown = async (known: RegistryLog, of: OfWhat): Promise<void> => {
  if (kinds.every(([path]) => of[path] === undefined)) return;
  const told = await withDeadline(known.upToDate(), patienceMs, 'reading the registry').catch(() => undefined);
  if (told) requireKnown(told.registry, of);
};
