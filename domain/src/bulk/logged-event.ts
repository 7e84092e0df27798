import type { EventMetadata } from '@popsvc/contracts/events';

/** An event of the log, as stored. */
export interface LoggedEvent {
  readonly type: string;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  /** When the log took it, ms since 1970. */
  readonly recordedAtMs: number;
}

/** The log tells something that cannot follow on what it told before. */
export class IllegalTransitionError extends Error {
  override readonly name = 'IllegalTransitionError';
}

/** Whose a file or a job is. */
export const ownerOf = ({ network, vendor, keyId }: EventMetadata) => {
  if (network === undefined || vendor === undefined) throw new IllegalTransitionError('it does not say whose it is');
  return { network, vendor, keyId };
};
