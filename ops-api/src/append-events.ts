import { ApiError } from '@popsvc/contracts/errors';
import {
  type EventStore,
  EventStoreRejected,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
} from '@popsvc/platform/event-store';

const maxAttempts = 3;

/** What the operator hears of it; everything appended before it stays, and the same again goes on behind that. */
const toApiError = (stream: string, error: EventStoreRejected): ApiError =>
  new ApiError(
    error.reason === 'too-large' ? 'PAYLOAD_TOO_LARGE' : 'INTERNAL',
    `The event store does not take what is to be written to ${stream}: ${error.message}`,
    { cause: error },
  );

/**
 * Appends where a stream still stands as expected; an append whose answer was lost is told again, with the same ids. What the
 * store never takes is a refusal that says so.
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
      // Whether it landed is not known; the same ids again are the same events.
      if (!(error instanceof EventStoreUnavailable) || attempt === maxAttempts) throw error;
    }
  }
};
