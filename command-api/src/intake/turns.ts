import { ApiError } from '@popsvc/contracts/errors';

/** More need not wait: they come again, and find it done or shorter. */
const mostWaiting = 32;

/** One after the other, in the order they came; refuses who would wait too long. */
export const turns = () => {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting >= mostWaiting)
      throw new ApiError('UNAVAILABLE', 'Too many requests are told again at once; try again.', {
        retryAfterSeconds: 2,
      });
    waiting += 1;
    const mine = last.then(work).finally(() => (waiting -= 1));
    last = mine.catch(() => undefined);
    return mine;
  };
};
