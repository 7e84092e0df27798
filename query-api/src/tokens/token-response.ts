import type { ApiError } from '@popsvc/contracts/errors';
import { jsonResponse, type JsonResponse } from '@popsvc/http-kit/server';
import { z } from 'zod';

export const Token = z
  .object({
    access_token: z.string().describe('A JWT (RFC 9068); treat it as opaque.'),
    token_type: z.literal('Bearer').describe('How to send the token: `Authorization: Bearer …`.'),
    expires_in: z.int().min(1).describe('Seconds.'),
    scope: z.string().describe('The scope of the token.'),
  })
  .meta({ id: 'Token' });
type Token = z.output<typeof Token>;

/** RFC 6749, section 5.2; `temporarily_unavailable` is a code of section 4.1.2.1. */
export const TokenError = z
  .object({
    error: z
      .enum(['invalid_request', 'invalid_client', 'unsupported_grant_type', 'invalid_scope', 'temporarily_unavailable'])
      .describe('Code of RFC 6749; temporarily_unavailable: request the token again after `Retry-After`.'),
    error_description: z.string().describe('What is wrong, for people; the text may change.'),
  })
  .meta({ id: 'TokenError' });

export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
  readonly code: z.output<typeof TokenError>['error'];

  constructor(code: TokenRefusal['code'], description: string) {
    super(description);
    this.code = code;
  }
}

const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };

export const tokenResponse = (token: Token): JsonResponse => jsonResponse(200, token, noStore);

export const tokenRefusalResponse = ({ code, message }: TokenRefusal): JsonResponse =>
  jsonResponse(
    code === 'invalid_client' ? 401 : 400,
    { error: code, error_description: message },
    { ...noStore, ...(code === 'invalid_client' && { 'WWW-Authenticate': 'Basic realm="popsvc", charset="UTF-8"' }) },
  );

/** For errors of the HTTP server, such as an invalid body or an unavailable database. */
export const renderTokenError = ({ code, message, headers, retryAfterSeconds = 1 }: ApiError): JsonResponse => {
  if (code !== 'UNAVAILABLE' && code !== 'RATE_LIMITED')
    return jsonResponse(400, { error: 'invalid_request', error_description: message }, { ...noStore, ...headers });
  return jsonResponse(
    code === 'UNAVAILABLE' ? 503 : 429,
    { error: 'temporarily_unavailable', error_description: message },
    { ...noStore, ...headers, 'Retry-After': String(retryAfterSeconds) },
  );
};
