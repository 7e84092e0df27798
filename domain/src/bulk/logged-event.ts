import type { EventMetadata } from '@popsvc/contracts/events';

export interface LoggedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  readonly recordedAtMs: number;
}

export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
}

export const ownerOf = ({ network, vendor, keyId }: EventMetadata) => {
  if (network === undefined || vendor === undefined)
    throw new IllegalTransitionError(`the event metadata has no ${network === undefined ? 'network' : 'vendor'}`);
  return { network, vendor, keyId };
};
