import { type ErrorCode, ApiError } from '@popsvc/contracts/errors';
import { errorResponse } from './error-answer.ts';
import type { RequestContext } from './exchange.ts';
import type { Route } from './route.ts';
import { send } from './send.ts';

/** Where they have a cause it is something of ours: a store that is away, or takes less than we do. */
const ours: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'PAYLOAD_TOO_LARGE']);

/** The code that was told; `left`: nobody was there to be told; `cut`: part of an answer was out already. */
export type Failed = ErrorCode | 'left' | 'cut';

/**
 * Answers for whatever was thrown. Only a Refusal speaks to the caller; anything else is ours: it is logged and is a 500 that
 * tells nothing. When part of an answer is out already, the connection is broken.
 */
export const fail = async (
  exchange: RequestContext,
  thrown: unknown,
  refused?: Route['renderError'],
): Promise<Failed> => {
  const { response, requestId } = exchange;
  const refusal = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL', undefined, { cause: thrown });
  const left = response.destroyed && !response.writableFinished;
  // What breaks because its reader left is no fault of ours; it is kept for those who look for slowness that drives readers away.
  // A logger is made for the request only where it has something to tell: most refusals have not.
  if (left) exchange.log.debug({ err: thrown }, 'a reader left before the answer');
  else if (refusal.code === 'INTERNAL') exchange.log.error({ err: thrown }, 'a request failed');
  else if (ours.has(refusal.code) && refusal.cause !== undefined)
    exchange.log.warn({ err: thrown }, 'a request could not be served');
  if (left) return 'left';
  if (response.headersSent) {
    response.destroy();
    return 'cut';
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  await send(exchange, refused && refusal.code !== 'INTERNAL' ? refused(refusal) : errorResponse(refusal, requestId));
  return refusal.code;
};
