import { ApiError } from '@popsvc/contracts/errors';
import { isPostgresUnavailable } from '@popsvc/platform/postgres';

/** The outcome of work on the records; while they are away, the refusal that says so. */
export const unlessAway = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (cause) {
    if (isPostgresUnavailable(cause))
      throw new ApiError('UNAVAILABLE', 'The identity provider cannot answer now.', { cause });
    throw cause;
  }
};
