import { ApiError } from '@popsvc/contracts/errors';
import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
} from '@popsvc/platform/event-store';

const maxAttempts = 3;

const toApiError = (stream: string, error: EventStoreRejected): ApiError =>
  new ApiError(
    error.reason === 'too-large' ? 'PAYLOAD_TOO_LARGE' : 'INTERNAL',
    `The event store rejected the append to ${stream}: ${error.message}`,
    { cause: error },
  );

/** Tries up to three times. Throws an ApiError if the event store rejects the append, and other errors of the store unchanged. */
export const appendEvents = async (
  store: Pick<EventStore, 'append'>,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await store.append(stream, events, { expected });
      return;
    } catch (error) {
      if (error instanceof EventStoreRejected) throw toApiError(stream, error);
      // The outcome of the append is unknown. A repeated append is safe, because its event ids are the same.
      if (!(error instanceof EventStoreUnavailable) || attempt === maxAttempts) throw error;
    }
  }
};
