export { type BuiltInTokens, builtInTokens } from './built-in-tokens.ts';
export { type ClientSecret, createClient, type NewClient, provenClient, rotateClient } from './client-secrets.ts';
export { type ExternalProvider, externalTokens } from './external-tokens.ts';
export type { IssuedToken } from './issue-token.ts';
export { rotateSigningKey } from './key-ring.ts';
export { builtInAudience, builtInIssuer, reportingScope } from './token-form.ts';
export { type TokenVerifier } from './token-verifier.ts';
