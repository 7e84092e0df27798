export { type BuiltInTokenProvider, createBuiltInTokenProvider } from './built-in-tokens.ts';
export {
  type ClientWithSecret,
  createClient,
  type NewClient,
  authenticateClient,
  rotateClientSecret,
} from './client-secrets.ts';
export { type ExternalIdentityProvider, createExternalTokenVerifier } from './external-tokens.ts';
export type { IssuedToken } from './issue-token.ts';
export { rotateSigningKey } from './key-ring.ts';
export { builtInAudience, builtInIssuer, reportingScope } from './token-form.ts';
export { type TokenVerifier } from './token-verifier.ts';
