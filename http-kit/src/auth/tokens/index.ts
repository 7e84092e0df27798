export { type BuiltInTokenProvider, createBuiltInTokenProvider, type IssuedToken } from './built-in-provider.ts';
export {
  type ClientWithSecret,
  createClient,
  type NewClient,
  authenticateClient,
  rotateClientSecret,
} from './client-secrets.ts';
export { type ExternalIdentityProvider, createExternalTokenVerifier } from './external-provider.ts';
export { openPrivateJwk, rotateSigningKey } from './signing-keys.ts';
export { maxTokenNetworks, reportingScope } from './token-format.ts';
export { type TokenVerifier } from './token-verifier.ts';
