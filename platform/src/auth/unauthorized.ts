import { ApiError } from '@popsvc/contracts/errors';

const realm = 'Bearer realm="popsvc"';

/** 401 with the challenge of RFC 6750: without an error when nothing was presented. `path`: what asked for too much. */
export const unauthorized = (message: string, error?: 'invalid_token' | 'invalid_request', path?: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, {
    ...(path !== undefined && { details: [{ path, message }] }),
    headers: { 'WWW-Authenticate': error ? `${realm}, error="${error}", error_description="${message}"` : realm },
  });
