import { RegistryFile } from '@popsvc/contracts/registry';
import { apps } from './health-of-hour.ts';
import { firstNetworkId, type NetworkWorld, networkWorld } from './network-world.ts';

export interface WorldWish {
  readonly networks: number;
  /** All together; dealt out to the networks evenly. */
  readonly devices: number;
}

export interface World {
  readonly registry: RegistryFile;
  readonly networks: readonly NetworkWorld[];
}

/**
 * Networks with ids from 100 up and all that stands in them. It does not depend on a seed, and more devices leave the others
 * as they are: a run after another only adds.
 */
export const worldOf = ({ networks, devices }: WorldWish): World => {
  const worlds = Array.from({ length: networks }, (_, index) => {
    const share = Math.floor(devices / networks) + (index < devices % networks ? 1 : 0);
    return networkWorld(firstNetworkId + index, share);
  });
  const registry = RegistryFile.parse({ apps });
  for (const { file } of worlds)
    for (const [kind, list] of Object.entries(file)) (registry[kind as keyof RegistryFile] as object[]).push(...list);
  return { registry, networks: worlds };
};
