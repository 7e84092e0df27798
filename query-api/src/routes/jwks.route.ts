import type { BuiltInTokenProvider } from '@popsvc/platform/auth/tokens';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { KeySet, unlessAway } from '../tokens/index.ts';

/** The public keys of the built-in provider, for whoever checks its tokens. */
export const jwksRoute = ({ tokens }: { tokens: Pick<BuiltInTokenProvider, 'jwks'> }): Route => ({
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Public keys of access tokens.',
  operationId: 'getKeySet',
  access: 'public',
  examples: [{ name: 'theKeys' }],
  schemas: { responses: { 200: KeySet }, responseHeaders: ['Cache-Control'] },
  handle: async () => jsonResponse(200, await unlessAway(tokens.jwks()), { 'Cache-Control': 'public, max-age=60' }),
});
