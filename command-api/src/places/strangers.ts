import type { Detection } from '@popsvc/contracts/commands';
import { networkOfCamera, networkOfDevice, networkOfFeeder, type Registry } from '@popsvc/domain/registry';

/** An id in a detection that does not fit the registry, and where it stands in the request. */
export interface Stranger {
  readonly kind: 'devices' | 'feeders' | 'cameras';
  readonly id: number;
  readonly path: string;
  readonly message: string;
}

const networks = { feeders: networkOfFeeder, cameras: networkOfCamera } as const;
const one = { feeders: 'feeder', cameras: 'camera' } as const;

/** Ids that are not of the network. Existence elsewhere is not revealed. */
export const strangersIn = (detections: readonly Detection[], network: number, registry: Registry): Stranger[] => {
  const strangers: Stranger[] = [];
  detections.forEach(({ deviceId, feederId, cameraId }, index) => {
    const at = `detections[${index}]`;
    if (networkOfDevice(registry, deviceId) !== network) {
      const message = `device ${deviceId} is not one of this network`;
      strangers.push({ kind: 'devices', id: deviceId, path: `${at}.deviceId`, message });
      return;
    }
    const units = [
      ['feeders', feederId],
      ['cameras', cameraId],
    ] as const;
    for (const [kind, id] of units) {
      if (id === undefined) continue;
      if (networks[kind](registry, id) === network) continue;
      const message = `${one[kind]} ${id} is not one of this network`;
      strangers.push({ kind, id, path: `${at}.${one[kind]}Id`, message });
    }
  });
  return strangers;
};
