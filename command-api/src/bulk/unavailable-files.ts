import { ApiError } from '@popsvc/contracts/errors';
import { ObjectTooLarge } from '@popsvc/platform/object-storage';

/** Work with the object store; whatever keeps it from answering becomes a 503. */
export const unavailableFiles = async <Done>(work: Promise<Done>): Promise<Done> => {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof ApiError || cause instanceof ObjectTooLarge) throw cause;
    throw new ApiError('UNAVAILABLE', 'Files cannot be stored now; try again.', { cause, retryAfterSeconds: 5 });
  }
};
