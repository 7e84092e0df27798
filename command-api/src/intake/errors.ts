import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import { EventStoreRejected, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';

export const invalidEvents = (details: readonly ApiErrorDetail[]): ApiError => {
  const [first] = details;
  const message =
    details.length === 1 && first
      ? `${first.path}: ${first.message}`
      : `${details.length} fields are not valid; nothing was stored.`;
  return new ApiError('INVALID_EVENT', message, { details });
};

/**
 * Converts errors of an unavailable event store or PostgreSQL to UNAVAILABLE, and of an append that is too large to PAYLOAD_TOO_LARGE.
 * Returns other errors unchanged.
 */
export const toCallerError = (error: unknown): unknown => {
  if (error instanceof ApiError) return error;
  if (error instanceof EventStoreRejected && error.reason === 'too-large')
    return new ApiError(
      'PAYLOAD_TOO_LARGE',
      'The events are larger than one append can store; send fewer events in a request.',
      { cause: error },
    );
  if (error instanceof EventStoreUnavailable || isPostgresUnavailable(error))
    return new ApiError('UNAVAILABLE', 'The request could not be stored; send it again.', {
      retryAfterSeconds: 1,
      cause: error,
    });
  return error;
};
