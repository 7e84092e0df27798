import { DeviceStatus, FeederStatus } from '@popsvc/contracts/responses';
import type { LivenessKind } from '@popsvc/contracts/vocabulary';
import type { z } from 'zod';

/** What is watched for signs of life, as partners ask for it. */
export interface Watched {
  readonly kind: LivenessKind;
  /** In paths. */
  readonly plural: string;
  readonly schema: z.ZodType;
  readonly operations: { readonly list: string; readonly one: string };
}

export const watched: readonly Watched[] = [
  {
    kind: 'device',
    plural: 'devices',
    schema: DeviceStatus,
    operations: { list: 'listDeviceStatus', one: 'getDeviceStatus' },
  },
  {
    kind: 'feeder',
    plural: 'feeders',
    schema: FeederStatus,
    operations: { list: 'listFeederStatus', one: 'getFeederStatus' },
  },
];
