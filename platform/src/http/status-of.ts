import type { ErrorCode } from '@popsvc/contracts/errors';

/** The one place where a refusal becomes an HTTP status. A new code does not compile until it is here. */
export const httpStatusOf: Readonly<Record<ErrorCode, number>> = {
  INVALID_PARAM: 400,
  INVALID_EVENT: 400,
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN_NETWORKS: 403,
  FORBIDDEN_ORIGIN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};
