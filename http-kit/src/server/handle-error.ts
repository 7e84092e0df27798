import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError, type ErrorCode } from '@popsvc/contracts/errors';
import { errorResponse } from '../endpoints/errors.ts';
import type { Route } from '../endpoints/route.ts';
import type { RequestFailure } from './metrics.ts';
import type { RequestContext } from './request-context.ts';
import { protectiveHeaders, sendResponse } from './send-response.ts';

/** Errors with these codes are logged only if they have a cause: without one, the service itself rejected the request. */
const serverSideCodes: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'REBUILDING', 'PAYLOAD_TOO_LARGE']);

/** Sends an ApiError to the caller; logs any other error and answers 500. Breaks the connection if part of the response was sent. */
export const handleError = async (
  context: RequestContext,
  thrown: unknown,
  renderError?: Route['renderError'],
): Promise<RequestFailure> => {
  const { response, requestId } = context;
  const apiError = thrown instanceof ApiError ? thrown : new ApiError('INTERNAL', undefined, { cause: thrown });
  const hasLeft = response.destroyed && !response.writableFinished;
  // `context.log` is read only to log, because the first read creates a logger, and most rejected requests log nothing.
  if (hasLeft) context.log.debug({ err: thrown }, 'caller disconnected before the response');
  else if (apiError.code === 'INTERNAL') context.log.error({ err: thrown }, 'failed to handle request');
  else if (serverSideCodes.has(apiError.code) && apiError.cause !== undefined)
    context.log.warn({ err: thrown }, 'request rejected because a dependency failed');
  if (hasLeft) return 'left';
  if (response.headersSent) {
    response.destroy();
    return 'cut';
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  await sendResponse(
    context,
    renderError && apiError.code !== 'INTERNAL' ? renderError(apiError) : errorResponse(apiError, requestId),
  );
  return apiError.code;
};

const parseErrors: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};

/** For requests that Node cannot parse or does not receive in time; they have no response object. */
export const handleParseError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = parseErrors[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'This is not an HTTP request.',
  ];
  const requestId = randomUUID();
  const body = JSON.stringify(errorResponse(new ApiError('INVALID_REQUEST', message), requestId).body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${phrase}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(protectiveHeaders).map(([name, value]) => `${name}: ${value}`),
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
};
