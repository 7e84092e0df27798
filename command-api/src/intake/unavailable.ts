import { ApiError } from '@popsvc/contracts/errors';
import { EventStoreRejected, EventStoreUnavailable } from '@popsvc/platform/event-store';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';

/**
 * What to tell the caller when a store is away: come back, the same request again does no harm. Of what the event store never
 * takes only the size is something the caller can mend. Other errors stay as they are.
 */
export const unavailable = (error: unknown): unknown => {
  if (error instanceof ApiError) return error;
  if (error instanceof EventStoreRejected && error.reason === 'too-large')
    return new ApiError(
      'PAYLOAD_TOO_LARGE',
      'This is more than can be stored at a time; send fewer events in a request.',
      {
        cause: error,
      },
    );
  if (error instanceof EventStoreUnavailable || isPostgresUnavailable(error))
    return new ApiError('UNAVAILABLE', 'The request could not be stored now; send it again.', {
      retryAfterSeconds: 1,
      cause: error,
    });
  return error;
};
