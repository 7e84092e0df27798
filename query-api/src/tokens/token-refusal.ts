import type { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type JsonResponse } from '@popsvc/platform/http';

export type TokenErrorCode =
  'invalid_request' | 'invalid_client' | 'unsupported_grant_type' | 'invalid_scope' | 'temporarily_unavailable';

/** Why no token is given, as RFC 6749 section 5.2 has it. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: TokenErrorCode;

  constructor(code: TokenErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

const uncached = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const tokenAnswer = (body: Readonly<Record<string, unknown>>): JsonResponse => jsonResponse(200, body, uncached);

export const refusalAnswer = ({ code, message }: TokenRefusal): JsonResponse =>
  jsonResponse(
    code === 'invalid_client' ? 401 : 400,
    { error: code, error_description: message },
    { ...uncached, ...(code === 'invalid_client' && { 'WWW-Authenticate': 'Basic realm="popsvc", charset="UTF-8"' }) },
  );

/** What the house refuses before or beside us (the body, the records), in the form of this endpoint. */
export const houseRefusal = ({ code, message, headers, retryAfterSeconds = 1 }: ApiError): JsonResponse => {
  if (code !== 'UNAVAILABLE' && code !== 'RATE_LIMITED')
    return jsonResponse(400, { error: 'invalid_request', error_description: message }, { ...uncached, ...headers });
  return jsonResponse(
    code === 'UNAVAILABLE' ? 503 : 429,
    { error: 'temporarily_unavailable', error_description: message },
    { ...uncached, ...headers, 'Retry-After': String(retryAfterSeconds) },
  );
};
