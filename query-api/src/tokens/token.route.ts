import { ApiError } from '@popsvc/contracts/errors';
import { authenticateClient, type BuiltInTokenProvider } from '@popsvc/http-kit/auth/tokens';
import {
  type FormFields,
  type JsonResponse,
  jsonResponse,
  type Route,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import { isPostgresUnavailable, type Postgres } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { createTokenRates, type TokenRates } from './token-rates.ts';
import { parseTokenRequest, TokenRequest } from './token-request.ts';
import {
  renderTokenError,
  Token,
  TokenError,
  TokenRefusal,
  tokenRefusalResponse,
  tokenResponse,
} from './token-response.ts';

export interface TokenDependencies {
  readonly postgres: Postgres;
  readonly tokens: Pick<BuiltInTokenProvider, 'issue'>;
}

const maxBodyBytes = 8_192;

const invalidClient = () => new TokenRefusal('invalid_client', 'the client id or secret is invalid');
const unavailable = (cause?: unknown) =>
  new ApiError('UNAVAILABLE', 'The identity provider is unavailable. Retry later.', { cause });

const errorExamples = {
  400: tokenRefusalResponse(new TokenRefusal('unsupported_grant_type', 'grant_type must be client_credentials')).body,
  401: tokenRefusalResponse(invalidClient()).body,
  429: renderTokenError(new ApiError('RATE_LIMITED')).body,
  503: renderTokenError(unavailable()).body,
};

/** RFC 6749, client credentials grant. */
export const tokenRoute = (dependencies: TokenDependencies, rates: TokenRates = createTokenRates()): Route => ({
  method: 'post',
  path: '/oauth/token',
  summary: 'An access token for a client id and its secret.',
  operationId: 'issueToken',
  access: 'public',
  examples: [
    {
      name: 'inTheForm',
      description: 'The client authenticates in the form.',
      body: { grant_type: 'client_credentials', client_id: 'your-client-id', client_secret: 'your-client-secret' },
    },
  ],
  schemas: {
    body: TokenRequest,
    responses: { 200: Token },
    errorResponses: { 400: TokenError, 401: TokenError, 429: TokenError, 503: TokenError },
    errorExamples,
  },
  body: 'form',
  maxBytes: maxBodyBytes,
  renderError: renderTokenError,
  async handle(request) {
    try {
      return await mapUnavailable(issueToken(dependencies, rates, request));
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      request.log.info({ error: error.code }, 'token request rejected');
      return tokenRefusalResponse(error);
    }
  },
});

const issueToken = async (
  { postgres, tokens }: TokenDependencies,
  rates: TokenRates,
  request: RouteRequest,
): Promise<JsonResponse> => {
  rates.countAddress(request.remoteAddress);
  if (Object.keys(request.query).length > 0)
    throw new TokenRefusal('invalid_request', 'parameters must be in the body, not in the URL');
  const { clientId, clientSecret } = parseTokenRequest(request.header('authorization'), request.body as FormFields);
  rates.countClient(request.remoteAddress, clientId);
  const client = await authenticateClient(postgres, clientId, clientSecret);
  if (!client) throw invalidClient();
  const { accessToken, expiresIn, scope } = await tokens.issue(client);
  request.log.info({ clientId }, 'token issued');
  return tokenResponse({ access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope });
};

/** RFC 7517. */
const KeySet = z
  .object({
    keys: z
      .array(
        z.looseObject({
          kid: z.string().describe('Id of the key, as in the header of the tokens that it signed.'),
          kty: z.string().describe('Type of the key.'),
          alg: z.string().describe('Algorithm of its signatures.'),
          use: z.literal('sig').describe('The key is for signatures.'),
          crv: z.string().optional().describe('Curve of an elliptic-curve key.'),
          x: z.string().optional().describe('X coordinate of an elliptic-curve key, base64url.'),
          y: z.string().optional().describe('Y coordinate of an elliptic-curve key, base64url.'),
        }),
      )
      .describe('The key that signs tokens, and earlier ones whose tokens may be valid.'),
  })
  .meta({ id: 'KeySet' });

export const keySetRoute = ({ tokens }: { readonly tokens: Pick<BuiltInTokenProvider, 'jwks'> }): Route => ({
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Public keys of access tokens.',
  operationId: 'getKeySet',
  access: 'public',
  examples: [{ name: 'theKeys' }],
  schemas: { responses: { 200: KeySet }, responseHeaders: ['Cache-Control'] },
  handle: async () => jsonResponse(200, await mapUnavailable(tokens.jwks()), { 'Cache-Control': 'public, max-age=60' }),
});

/** Throws UNAVAILABLE if PostgreSQL is unavailable. */
const mapUnavailable = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (cause) {
    if (isPostgresUnavailable(cause)) throw unavailable(cause);
    throw cause;
  }
};
