import { invalidRequestError } from '@popsvc/http-kit/server';
import { type ApiErrorDetail, invalidParam } from '@popsvc/contracts/errors';
import { currentEntity, type Registry } from '@popsvc/domain/registry';
import { withDeadline } from '@popsvc/platform/runtime';
import type { KnownRegistry, RegistryLog } from './registry-log.ts';

interface RegistryFilter {
  readonly network?: number | undefined;
  readonly vendor?: string | undefined;
  readonly device?: number | undefined;
  readonly feeder?: number | undefined;
  readonly site?: number | undefined;
}

const filterKinds = [
  ['network', 'networks'],
  ['vendor', 'vendors'],
  ['device', 'devices'],
  ['feeder', 'feeders'],
  ['site', 'sites'],
] as const;

/** Throws INVALID_PARAM for an id that was never registered, or a vendor of another network. Accepts ids of retired entities. */
export const requireKnownFilter = (registry: Registry, of: RegistryFilter): void => {
  for (const [path, kind] of filterKinds) {
    const key = of[path];
    if (key !== undefined && !currentEntity(registry, kind, String(key)))
      throw invalidParam(path, `there is no ${path} ${key} in the registry`);
  }
  const { network, vendor } = of;
  if (network === undefined || vendor === undefined || currentEntity(registry, 'vendors', vendor)?.network === network)
    return;
  throw invalidParam('vendor', `there is no vendor ${vendor} in network ${network}`);
};

const registryTimeoutMs = 3_000;

/**
 * For a request that found nothing, because an empty list would hide an unknown id. Accepts any filter if the event store does not
 * answer.
 */
export const rejectUnknownFilter = async (registryLog: RegistryLog, of: RegistryFilter): Promise<void> => {
  if (filterKinds.every(([path]) => of[path] === undefined)) return;
  const current = await withDeadline(registryLog.readCurrent(), registryTimeoutMs, 'reading the registry').catch(
    () => undefined,
  );
  if (current) requireKnownFilter(current.registry, of);
};

const networkProblem = ({ registry }: KnownRegistry, id: number): string | undefined => {
  const network = currentEntity(registry, 'networks', String(id));
  if (!network) return `there is no network ${id}`;
  return network.retired ? `network ${id} is retired` : undefined;
};

const vendorProblem = ({ registry }: KnownRegistry, network: number, code: string): string | undefined => {
  const vendor = currentEntity(registry, 'vendors', code);
  if (vendor?.network !== network) return `there is no vendor ${code} in network ${network}`;
  return vendor.retired ? `vendor ${code} is retired` : undefined;
};

const rejectProblems = (found: readonly (readonly [path: string, message: string | undefined])[]): void => {
  const details = found.flatMap(([path, message]): ApiErrorDetail[] =>
    message === undefined ? [] : [{ path, message }],
  );
  if (details.length > 0) throw invalidRequestError(details);
};

export const requireActiveNetwork = (known: KnownRegistry, network: number): void =>
  rejectProblems([['network', networkProblem(known, network)]]);

export const requireActiveNetworks = (known: KnownRegistry, networks: readonly number[]): void =>
  rejectProblems(networks.map((id, index) => [`networks[${index}]`, networkProblem(known, id)]));

export const requireActiveVendor = (known: KnownRegistry, network: number, vendor: string): void => {
  requireActiveNetwork(known, network);
  rejectProblems([['vendor', vendorProblem(known, network, vendor)]]);
};
