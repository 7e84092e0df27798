import type { IncomingMessage } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import { includesRole, OPERATOR_ROLES, type OperatorRole } from '@popsvc/contracts/vocabulary';

export type Principal = ApiKeyPrincipal | ClientPrincipal | OperatorPrincipal;

export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly keyId: string;
  readonly network: number;
  readonly vendor: string;
  readonly rates: Rates;
}

/** Sustained rates. A burst may spend the quota of two seconds at once. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface ClientPrincipal {
  readonly kind: 'client';
  readonly clientId: string;
  /** Networks that the client may read. A report uses the first registered one unless the request names a network. */
  readonly networkIds: readonly number[];
}

interface ActiveOperatorSession {
  readonly expiresAtMs: number;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly role: OperatorRole;
  /** Undefined if the operator presented the operator token or signed in with it. */
  readonly account?: string | undefined;
  /** Undefined if the operator presented the operator token itself. */
  readonly session?: ActiveOperatorSession;
}

/**
 * `ingest`: API keys. `reporting`: API keys and client tokens. A role: operators with at least this role. `monitoring`: like `viewer`, but
 * requests from this machine that no proxy forwarded need no credential.
 */
export type Access = 'public' | 'ingest' | 'reporting' | OperatorRole | 'monitoring';

const roles: ReadonlySet<string> = new Set(OPERATOR_ROLES);

export const isOperatorAccess = (access: Access): access is OperatorRole => roles.has(access);

export const requireRole = (access: Access, principal: Principal | undefined): void => {
  if (principal?.kind !== 'operator' || !isOperatorAccess(access) || includesRole(principal.role, access)) return;
  throw new ApiError('FORBIDDEN', `This request needs the role ${access}; your role is ${principal.role}.`);
};

/**
 * Resolves with undefined if the credential is invalid. Throws ExpiredCredential if it has expired, UNAVAILABLE if it cannot be checked.
 */
export type VerifyCredential = (credential: string) => Promise<Principal | undefined>;

const realm = 'Bearer realm="popsvc"';

const challenge = (message: string, error: string | undefined) => ({
  'WWW-Authenticate': error ? `${realm}, error="${error}", error_description="${message}"` : realm,
});

/**
 * Builds a 401 error with a challenge (RFC 6750). `error` must be absent if the request has no credential. `path`: parameter or header that
 * names the forbidden resource.
 */
export const unauthorized = (message: string, error?: 'invalid_token' | 'invalid_request', path?: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, {
    ...(path !== undefined && { details: [{ path, message }] }),
    headers: challenge(message, error),
  });

/** A 401 error that does not count against the limit of wrong credentials. */
export class ExpiredCredential extends ApiError {
  constructor(message = 'The credential has expired.') {
    super('UNAUTHORIZED', message, { headers: challenge(message, 'invalid_token') });
  }
}

export type ProtectedAccess = Exclude<Access, 'public' | 'monitoring'>;

/**
 * Throws UNAUTHORIZED unless the credential is valid, UNAVAILABLE if that cannot be checked, and FORBIDDEN_ORIGIN if a page of another
 * origin uses a session for a change.
 */
export type Authenticate = (request: IncomingMessage, access: ProtectedAccess) => Promise<Principal>;
