export {
  type ApiKeyVerifier,
  createApiKey,
  createApiKeyVerifier,
  generateApiKey,
  hashApiKey,
  type NewApiKey,
} from './api-keys.ts';
export { type AccountWatch, type AccountWatchOptions, startAccountWatch } from './account-watch.ts';
export {
  createOidcSignIn,
  isSafeIssuer,
  type OidcOptions,
  type OidcSignIn,
  PendingSignIn,
  RoleMissing,
} from './oidc.ts';
export { generatePassword, hashPassword, isPassword } from './passwords.ts';
export {
  type AuthenticatorDependencies,
  createAuthenticator,
  rejectRetiredSenders,
  type RetiredSender,
} from './authenticator.ts';
export { startEndedSessions, type EndedSessions } from './ended-sessions.ts';
export {
  createOperatorSessions,
  type OperatorSession,
  type OperatorSessions,
  type OperatorSessionsOptions,
  readSessionCookie,
  type SessionAccount,
  sessionCookieName,
  sessionDurationMs,
} from './operator-sessions.ts';
export {
  type Access,
  type ApiKeyPrincipal,
  type Authenticate,
  type ClientPrincipal,
  ExpiredCredential,
  type OperatorPrincipal,
  type Principal,
  type ProtectedAccess,
  type Rates,
  unauthorized,
  type VerifyCredential,
} from './access.ts';
export { startRevocationWatch, type RevocationWatch, type RevocationWatchOptions } from './revocation-watch.ts';
export { type CredentialLookup, CredentialCache, type VerifiedCredential } from './credential-cache.ts';
