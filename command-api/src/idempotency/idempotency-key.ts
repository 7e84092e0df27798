import { ApiError } from '@popsvc/contracts/errors';
import type { RouteRequest } from '@popsvc/platform/http';

const longest = 255;

/** The Idempotency-Key header, if there is one. */
export const idempotencyKeyOf = (asked: RouteRequest): string | undefined => {
  const key = asked.header('Idempotency-Key');
  if (key === undefined) return undefined;
  // Header values are bytes; Node hands them over as Latin-1, one character each.
  if (key.length > 0 && key.length <= longest) return key;
  const message = `must have 1 to ${longest} characters`;
  throw new ApiError('INVALID_REQUEST', `Idempotency-Key ${message}`, {
    details: [{ path: 'Idempotency-Key', message }],
  });
};
