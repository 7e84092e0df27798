import type { EventMetadata } from '@popsvc/contracts/events';

export interface LoggedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** When the event was appended, ms since 1970. */
  readonly recordedAtMs: number;
}

/** Thrown for an event that is not allowed in the current state of its stream. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
}

/** Returns the owner of an upload or job (network, vendor and API key id) from the metadata of one of its events. */
export const ownerOf = ({ network, vendor, keyId }: EventMetadata) => {
  if (network === undefined || vendor === undefined)
    throw new IllegalTransitionError(`the event metadata has no ${network === undefined ? 'network' : 'vendor'}`);
  return { network, vendor, keyId };
};
