import { type EventStore, EventStoreUnavailable, type Expected, type NewEvent } from '@popsvc/platform/event-store';

const attempts = 3;

/** Appends where a stream still stands as expected; an append whose answer was lost is told again, with the same ids. */
export const appendAgain = async (
  store: Pick<EventStore, 'append'>,
  stream: string,
  events: readonly NewEvent[],
  expected: Expected,
): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await store.append(stream, events, { expected });
      return;
    } catch (error) {
      // Whether it landed is not known; the same ids again are the same events.
      if (!(error instanceof EventStoreUnavailable) || attempt === attempts) throw error;
    }
  }
};
