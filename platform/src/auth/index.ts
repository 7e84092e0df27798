export { type ApiKeyVerifier, apiKeyVerifier } from './api-key-verifier.ts';
export { createApiKey, type NewApiKey } from './api-keys.ts';
export { apiKeyHash, isApiKeyShaped, makeApiKey } from './api-key-text.ts';
export { type AuthenticatorParts, createAuthenticator } from './authenticator.ts';
export { createEndedSessions, type EndedSessions } from './ended-sessions.ts';
export { sessionCookie, sessionIn } from './operator-by-session.ts';
export {
  type OperatorSession,
  type OperatorSessions,
  operatorSessions,
  sessionMs,
  type SessionsOptions,
} from './operator-sessions.ts';
export { requireOwnPage } from './own-page.ts';
export type { Access, ApiKeyPrincipal, ClientPrincipal, OperatorPrincipal, Principal, Rates } from './principal.ts';
export { createRevocationWatch, type RevocationWatch, type RevocationWatchOptions } from './revocation-watch.ts';
export { unauthorized } from './unauthorized.ts';
export { type Looked, VerifiedCache, type Verified } from './verified-cache.ts';
export type { Verify } from './verify.ts';
