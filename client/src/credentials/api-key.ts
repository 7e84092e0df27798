import type { Credential } from './credential.ts';

/** There is no other key to be had when this one is refused. */
export const apiKeyCredential = (apiKey: string): Credential => ({
  headers: () => Promise.resolve({ 'x-api-key': apiKey }),
  refused: () => false,
});
