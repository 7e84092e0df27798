import type { RegistryFile } from '@popsvc/contracts/registry';
import { Failure } from '../program/failure.ts';
import type { Sender } from '../service-client/temporary-key.ts';

/** What a file says of where it comes from: the screens, or the devices, of its first good rows. */
export interface Traces {
  readonly screens?: ReadonlySet<string>;
  readonly devices?: ReadonlySet<number>;
}

const networksByDevice = ({ devices, locations, sites }: RegistryFile): ReadonlyMap<number, number> => {
  const siteOf = new Map(locations.map(({ id, site }) => [id, site]));
  const networkOf = new Map(sites.map(({ id, network }) => [id, network]));
  return new Map(devices.map(({ id, location }) => [id, networkOf.get(siteOf.get(location) ?? 0) ?? 0]));
};

const tell = 'name them with --network and --vendor';

/** The one network whose screens or devices a file names, and the one vendor of that network; else the caller must say. */
export const senderOfFile = (registry: RegistryFile, { screens, devices }: Traces, wanted: Partial<Sender>): Sender => {
  const networkOf = networksByDevice(registry);
  const touched = registry.devices.filter(
    ({ id, screen_ids: own }) => (devices?.has(id) ?? false) || own.some((screen) => screens?.has(screen) ?? false),
  );
  const networks =
    wanted.network === undefined ? new Set(touched.map(({ id }) => networkOf.get(id) ?? 0)) : [wanted.network];
  const [network, another] = [...networks];
  if (network === undefined || another !== undefined)
    throw new Failure(
      network === undefined
        ? `None of the screens in this file is registered: apply its registry, or ${tell}.`
        : `The screens in this file are of more than one network: ${tell}.`,
    );
  const vendors = registry.vendors.filter((vendor) => vendor.network === network && !vendor.retired);
  const vendor = wanted.vendor ?? (vendors.length === 1 ? vendors[0]!.code : undefined);
  if (vendor === undefined) throw new Failure(`Network ${network} has ${vendors.length} vendors: ${tell}.`);
  return { network, vendor };
};
