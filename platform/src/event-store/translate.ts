import {
  InvalidArgumentError,
  MaxAppendSizeExceededError,
  RequiredMetadataPropertyMissingError,
  StreamDeletedError,
  StreamNotFoundError,
  UnknownError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  EventStoreRejected,
  EventStoreUnavailable,
  type RejectionReason,
  StreamDeleted,
  WrongExpectedVersion,
} from './errors.ts';

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
