import { Refusal } from '@popsvc/contracts/errors';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import { isUnavailable } from '@popsvc/platform/records';

/** What to tell the caller when a store is away: come back, the same request again does no harm. Other errors stay as they are. */
export const unavailable = (error: unknown): unknown => {
  if (error instanceof Refusal) return error;
  if (error instanceof EventStoreUnavailable || isUnavailable(error))
    return new Refusal('UNAVAILABLE', 'The request could not be stored now; send it again.', {
      retryAfterSeconds: 1,
      cause: error,
    });
  return error;
};
