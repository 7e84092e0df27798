import { type BuiltInTokenProvider, authenticateClient } from '@popsvc/platform/auth/tokens';
import type { RouteRequest, FormFields, JsonResponse, Route } from '@popsvc/platform/http';
import type { Postgres } from '@popsvc/platform/postgres';
import {
  houseRefusal,
  refusalAnswer,
  Token,
  tokenAnswer,
  tokenAsked,
  TokenError,
  type TokenRates,
  tokenRates,
  TokenRefusal,
  TokenRequest,
  unlessAway,
} from '../tokens/index.ts';

export interface TokenParts {
  readonly postgres: Postgres;
  readonly tokens: Pick<BuiltInTokenProvider, 'issue'>;
}

const maxBytes = 8_192;

/** Access tokens by the client credentials grant (RFC 6749). */
export const tokenRoute = (parts: TokenParts, rates: TokenRates = tokenRates()): Route => ({
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
  },
  body: 'form',
  maxBytes,
  renderError: houseRefusal,
  async handle(asked) {
    try {
      return await unlessAway(grant(parts, rates, asked));
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      asked.log.info({ error: error.code }, 'a token was refused');
      return refusalAnswer(error);
    }
  },
});

const grant = async (
  { postgres, tokens }: TokenParts,
  rates: TokenRates,
  asked: RouteRequest,
): Promise<JsonResponse> => {
  rates.countPeer(asked.remoteAddress);
  if (Object.keys(asked.query).length > 0)
    throw new TokenRefusal('invalid_request', 'parameters belong in the body, never in the address');
  const form = asked.body as FormFields;
  const { clientId, clientSecret } = tokenAsked(asked.header('authorization'), form);
  rates.countClient(asked.remoteAddress, clientId);
  const client = await authenticateClient(postgres, clientId, clientSecret);
  if (!client) throw new TokenRefusal('invalid_client', 'the client or its secret is not right');
  const { accessToken, expiresIn, scope } = await tokens.issue(client);
  asked.log.info({ client_id: clientId }, 'a token was issued');
  return tokenAnswer({ access_token: accessToken, token_type: 'Bearer', expires_in: expiresIn, scope });
};
