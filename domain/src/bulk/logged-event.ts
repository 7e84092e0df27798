import type { EventMetadata } from '@popsvc/contracts/events';

/** An event as stored in the log. */
export interface LoggedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** When the event was appended, ms since 1970. */
  readonly recordedAtMs: number;
}

/** An event that is not allowed in the state of its stream. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
}

/** Network, vendor and API key of a file or job. */
export const ownerOf = ({ network, vendor, keyId }: EventMetadata) => {
  if (network === undefined || vendor === undefined)
    throw new IllegalTransitionError('the event metadata has no network or vendor');
  return { network, vendor, keyId };
};
