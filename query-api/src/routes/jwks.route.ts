import type { BuiltInTokens } from '@popsvc/platform/auth/tokens';
import { json, type Route } from '@popsvc/platform/http';

/** The public keys of the built-in provider, for whoever checks its tokens. */
export const jwksRoute = ({ tokens }: { tokens: Pick<BuiltInTokens, 'jwks'> }): Route => ({
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Public keys of access tokens.',
  access: 'public',
  handle: async () => json(200, await tokens.jwks(), { 'Cache-Control': 'public, max-age=60' }),
});
