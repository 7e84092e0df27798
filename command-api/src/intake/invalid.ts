import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';

/** The refusal of a request for what its items, or the fields beside them, hold. */
export const invalid = (details: readonly ApiErrorDetail[]): ApiError => {
  const [first] = details;
  const message =
    details.length === 1 && first
      ? `${first.path}: ${first.message}`
      : `${details.length} things are not valid; nothing was stored.`;
  return new ApiError('INVALID_EVENT', message, { details });
};
