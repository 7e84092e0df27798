import type { BuiltInTokens } from '@popsvc/platform/auth/tokens';
import { json, type Route } from '@popsvc/platform/http';
import { KeySet, unlessAway } from '../tokens/index.ts';

/** The public keys of the built-in provider, for whoever checks its tokens. */
export const jwksRoute = ({ tokens }: { tokens: Pick<BuiltInTokens, 'jwks'> }): Route => ({
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Public keys of access tokens.',
  operation: 'getKeySet',
  access: 'public',
  examples: [{ name: 'theKeys' }],
  schemas: { replies: { 200: KeySet }, replyHeaders: ['Cache-Control'] },
  handle: async () => json(200, await unlessAway(tokens.jwks()), { 'Cache-Control': 'public, max-age=60' }),
});
