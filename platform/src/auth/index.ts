export { type ApiKeyVerifier, createApiKeyVerifier } from './api-key-verifier.ts';
export { createApiKey, type NewApiKey } from './api-keys.ts';
export { hashApiKey, hasApiKeyFormat, generateApiKey } from './api-key-text.ts';
export { type AuthenticatorDependencies, createAuthenticator } from './authenticator.ts';
export { startEndedSessions, type EndedSessions } from './ended-sessions.ts';
export { sessionCookieName, readSessionCookie } from './operator-by-session.ts';
export {
  type OperatorSession,
  type OperatorSessions,
  createOperatorSessions,
  sessionDurationMs,
  type OperatorSessionsOptions,
} from './operator-sessions.ts';
export { requireSameOrigin } from './own-page.ts';
export type { Access, ApiKeyPrincipal, ClientPrincipal, OperatorPrincipal, Principal, Rates } from './principal.ts';
export { startRevocationWatch, type RevocationWatch, type RevocationWatchOptions } from './revocation-watch.ts';
export { unauthorized } from './unauthorized.ts';
export { type CredentialLookup, CredentialCache, type VerifiedCredential } from './verified-cache.ts';
export type { VerifyCredential } from './verify.ts';
