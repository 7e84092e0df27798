import { StreamDeletedError, StreamNotFoundError, WrongExpectedVersionError } from '@eventstore/db-client';
import { EventStoreUnavailable, StreamGone, WrongExpectedVersion } from './errors.ts';

export const isMissing = (error: unknown): boolean => error instanceof StreamNotFoundError;

/** The client's errors in the house's words; a server that is down throws a plain Error from appends. */
export const translated = (error: unknown): Error => {
  if (error instanceof WrongExpectedVersionError) return new WrongExpectedVersion(error.message, { cause: error });
  if (error instanceof StreamDeletedError) return new StreamGone(error.message, { cause: error });
  if (error instanceof EventStoreUnavailable) return error;
  return new EventStoreUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
};
