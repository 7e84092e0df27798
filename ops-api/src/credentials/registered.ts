import type { ApiErrorDetail } from '@popsvc/contracts/errors';
import { currentEntity } from '@popsvc/domain/registry';
import { invalid } from '../checked.ts';
import type { KnownRegistry } from '../registry/registry-log.ts';

const networkTrouble = ({ registry }: KnownRegistry, id: number): string | undefined => {
  const network = currentEntity(registry, 'networks', String(id));
  if (!network) return `there is no network ${id}`;
  return network.retired ? `network ${id} is retired` : undefined;
};

const vendorTrouble = ({ registry }: KnownRegistry, network: number, code: string): string | undefined => {
  const vendor = currentEntity(registry, 'vendors', code);
  if (vendor?.network !== network) return `there is no vendor ${code} in network ${network}`;
  return vendor.retired ? `vendor ${code} is retired` : undefined;
};

const refuseAny = (found: readonly (readonly [path: string, message: string | undefined])[]): void => {
  const details = found.flatMap(([path, message]): ApiErrorDetail[] =>
    message === undefined ? [] : [{ path, message }],
  );
  if (details.length > 0) throw invalid(details);
};

/** Credentials are given out for what the registry knows and has not retired. */
export const requireNetworks = (known: KnownRegistry, networks: readonly number[]): void =>
  refuseAny(networks.map((id, index) => [`networks[${index}]`, networkTrouble(known, id)]));

export const requireVendor = (known: KnownRegistry, network: number, vendor: string): void => {
  refuseAny([['network', networkTrouble(known, network)]]);
  refuseAny([['vendor', vendorTrouble(known, network, vendor)]]);
};
