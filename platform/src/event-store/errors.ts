import {
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  RequiredMetadataPropertyMissingError,
  StreamDeletedError,
  StreamNotFoundError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';

/** The stream is not where the append expected it; nothing was written. */
export class WrongExpectedVersion extends Error {
  override readonly name = 'WrongExpectedVersion';
}

/** The stream was deleted for good. */
export class StreamDeleted extends Error {
  override readonly name = 'StreamDeleted';
}

/** `too-large`: more than the store takes in one append. `invalid`: not as it takes it. */
export type RejectionReason = 'too-large' | 'invalid';

/** The store answered, and refuses this for good: nothing was written, and told again it is refused again. */
export class EventStoreRejected extends Error {
  override readonly name = 'EventStoreRejected';
  readonly reason: RejectionReason;

  constructor(why: RejectionReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = why;
  }
}

/**
 * The store did not answer in time or at all; an append may or may not have landed. Also while it lets nobody in: that is
 * mended on our side, and the same request is right afterwards.
 */
export class EventStoreUnavailable extends Error {
  override readonly name = 'EventStoreUnavailable';
}

export const isMissing = (error: unknown): boolean => error instanceof StreamNotFoundError;

/** The number of INVALID_ARGUMENT in gRPC. */
const invalidArgument = 3;

/** Answers to a batch append whose type the client does not know; it tells nothing of them but the name. */
const unnamed: readonly (readonly [RegExp, RejectionReason])[] = [
  [/MaximumAppend\w*SizeExceeded/, 'too-large'],
  [/BadRequest/, 'invalid'],
];

const refusedFor = (error: unknown): RejectionReason | undefined => {
  if (error instanceof MaxAppendSizeExceededError) return 'too-large';
  if (error instanceof RequiredMetadataPropertyMissingError || error instanceof InvalidArgumentError) return 'invalid';
  if (!(error instanceof UnknownError)) return undefined;
  if (Number(error.code) === invalidArgument) return 'invalid';
  return unnamed.find(([named]) => named.test(error.message))?.[1];
};

/** The client's words for it may be none at all. */
const wordsOf = (error: unknown, why: RejectionReason): string => {
  if (error instanceof MaxAppendSizeExceededError)
    return `the event store takes ${error.maxAppendSize} bytes in one append`;
  const said = error instanceof Error ? error.message : '';
  return said === '' ? `the event store refuses this as ${why}` : said;
};

/** The client's errors in the house's words; a server that is down throws a plain Error from appends. */
export const translated = (error: unknown): Error => {
  if (error instanceof WrongExpectedVersionError) return new WrongExpectedVersion(error.message, { cause: error });
  if (error instanceof StreamDeletedError) return new StreamDeleted(error.message, { cause: error });
  if (error instanceof EventStoreUnavailable) return error;
  const why = refusedFor(error);
  if (why) return new EventStoreRejected(why, wordsOf(error, why), { cause: error });
  return new EventStoreUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
};
