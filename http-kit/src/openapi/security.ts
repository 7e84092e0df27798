import type { Access } from '../auth/access.ts';

type Requirement = Readonly<Record<string, readonly string[]>>;

/** Alternative requirements of each access; an empty one means that no credential is needed. */
export const securityOf: Readonly<Record<Access, readonly Requirement[]>> = {
  public: [],
  ingest: [{ apiKey: [] }, { apiKeyAsBearer: [] }],
  reporting: [{ clientCredentials: [] }, { apiKey: [] }, { apiKeyAsBearer: [] }],
  viewer: [{ operatorToken: [] }, { operatorSession: ['viewer'] }],
  operator: [{ operatorToken: [] }, { operatorSession: ['operator'] }],
  admin: [{ operatorToken: [] }, { operatorSession: ['admin'] }],
  monitoring: [{}, { operatorToken: [] }],
};

const schemes = (tokenUrl: string): Readonly<Record<string, object>> => ({
  clientCredentials: {
    type: 'oauth2',
    description:
      'An access token by the client credentials grant, as `Authorization: Bearer`. Tokens last 15 minutes; keep one until fewer ' +
      'than 30 seconds remain. There is no refresh token.',
    flows: { clientCredentials: { tokenUrl, scopes: {} } },
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key (`<vendor>_sk_<random>`): one network, one vendor.',
  },
  apiKeyAsBearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same API key as `Authorization: Bearer`.',
  },
  operatorToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of the operator, `POPSVC_OPERATOR_TOKEN`. Its role is `admin`.',
  },
  operatorSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'popsvc_session',
    description:
      'The session of a page of this server; opened with the token or an account. Each operation lists the least role of the account.',
  },
});

export const securitySchemes = (accesses: readonly Access[], tokenUrl: string): Readonly<Record<string, object>> => {
  const named = new Set(accesses.flatMap((access) => securityOf[access].flatMap((way) => Object.keys(way))));
  return Object.fromEntries(Object.entries(schemes(tokenUrl)).filter(([name]) => named.has(name)));
};
