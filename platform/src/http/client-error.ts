import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { ApiError } from '@popsvc/contracts/errors';
import { errorResponse } from './error-answer.ts';
import { protectiveHeaders } from './protective-headers.ts';

const tellings: Readonly<Record<string, readonly [number, string, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request took too long to arrive.'],
};

/** Answers for what Node could not read as a request; there is no request to answer, so the bytes are written as they are. */
export const clientError = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, phrase, message] = tellings[error.code ?? ''] ?? [400, 'Bad Request', 'This is not an HTTP request.'];
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
