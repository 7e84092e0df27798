import type { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type JsonResponse } from './answer.ts';
import { BodyTimeout } from './body/body-timeout.ts';
import { httpStatusOf } from './status-of.ts';

const standardRetrySeconds = 1;

/** A refusal as every endpoint tells it. */
export const errorResponse = (refusal: ApiError, requestId: string): JsonResponse => {
  const { code, message, details, headers } = refusal;
  return jsonResponse(
    refusal instanceof BodyTimeout ? 408 : httpStatusOf[code],
    { status: false, message, error: { code, details }, request_id: requestId },
    { ...retryAfter(refusal), ...headers },
  );
};

/** 429 and 503 always say when to come back. */
const retryAfter = ({ code, retryAfterSeconds }: ApiError): Record<string, string> =>
  retryAfterSeconds !== undefined || code === 'UNAVAILABLE' || code === 'RATE_LIMITED'
    ? { 'Retry-After': String(retryAfterSeconds ?? standardRetrySeconds) }
    : {};
