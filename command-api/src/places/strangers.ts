import { networkOfCamera, networkOfDevice, networkOfFeeder, type Registry } from '@popsvc/domain/registry';

/** Whatever says where it comes from. */
export interface Located {
  readonly deviceId?: number | undefined;
  readonly feederId?: number | undefined;
  readonly cameraId?: number | undefined;
}

/** An id in a request that does not fit the registry, and where it stands. */
export interface Stranger {
  readonly kind: 'devices' | 'feeders' | 'cameras';
  readonly id: number;
  readonly path: string;
  readonly message: string;
}

const networks = { devices: networkOfDevice, feeders: networkOfFeeder, cameras: networkOfCamera } as const;
const one = { devices: 'device', feeders: 'feeder', cameras: 'camera' } as const;

/**
 * Ids that are not of the network, in the items of the list of this name. Existence elsewhere is not revealed. Where the device
 * is a stranger, what is on it is not looked at.
 */
export const strangersIn = (
  list: string,
  items: readonly Located[],
  network: number,
  registry: Registry,
): Stranger[] => {
  const strangers: Stranger[] = [];
  const look = (index: number, kind: Stranger['kind'], id: number | undefined): boolean => {
    if (id === undefined || networks[kind](registry, id) === network) return true;
    const message = `${one[kind]} ${id} is not one of this network`;
    strangers.push({ kind, id, path: `${list}[${index}].${one[kind]}Id`, message });
    return false;
  };
  items.forEach(({ deviceId, feederId, cameraId }, index) => {
    if (!look(index, 'devices', deviceId)) return;
    look(index, 'feeders', feederId);
    look(index, 'cameras', cameraId);
  });
  return strangers;
};
