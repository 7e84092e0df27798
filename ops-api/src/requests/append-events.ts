import { ApiError } from '@popsvc/contracts/errors';
import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
} from '@popsvc/platform/event-store';

const maxAttempts = 3;

/**
 * Creates the error for an append that the event store rejected permanently. If the same request has made earlier appends, their
 * events remain stored.
 */
const toApiError = (stream: string, error: EventStoreRejected): ApiError =>
  new ApiError(
    error.reason === 'too-large' ? 'PAYLOAD_TOO_LARGE' : 'INTERNAL',
    `The event store rejected the append to ${stream}: ${error.message}`,
    { cause: error },
  );

/**
 * Appends events at the expected revision. If the response is lost, repeats the append with the same event ids. Throws an
 * ApiError if the event store rejects the append permanently.
 */
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
      // After this error the outcome of the append is unknown. Repeating the append is safe, because the event ids are the
      // same.
      if (!(error instanceof EventStoreUnavailable) || attempt === maxAttempts) throw error;
    }
  }
};
