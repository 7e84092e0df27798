import { ApiError } from '@popsvc/contracts/errors';
import { EventStoreUnavailable } from '@popsvc/platform/event-store';
import type { Route } from '@popsvc/platform/http';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';
import { DeadlineExceeded } from '@popsvc/platform/runtime';

const isAway = (error: unknown): boolean =>
  error instanceof EventStoreUnavailable || error instanceof DeadlineExceeded || isPostgresUnavailable(error);

/** A route whose stores may be away: then it is 503, and the same request again does no harm. */
export const comeBackLater = (route: Route): Route => ({
  ...route,
  async handle(asked) {
    try {
      return await route.handle(asked);
    } catch (error) {
      if (error instanceof ApiError || !isAway(error)) throw error;
      throw new ApiError('UNAVAILABLE', 'A store does not answer now; try again.', { cause: error });
    }
  },
});
