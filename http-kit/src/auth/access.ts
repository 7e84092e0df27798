import type { IncomingMessage } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import { includesRole, OPERATOR_ROLES, type OperatorRole } from '@popsvc/contracts/vocabulary';

export type Principal = ApiKeyPrincipal | ClientPrincipal | OperatorPrincipal;

export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly keyId: string;
  readonly network: number;
  /** Code of the vendor who owns the key. */
  readonly vendor: string;
  readonly rates: Rates;
}

/** The sustained rates of an API key. A burst may contain as much as the sustained rate allows in two seconds. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface ClientPrincipal {
  readonly kind: 'client';
  readonly clientId: string;
  /**
   * Ids of the networks that the client may read, in the same order as in the token's `network_ids` claim. Requests that do not
   * specify a network use the first one.
   */
  readonly networkIds: readonly number[];
}

interface ActiveOperatorSession {
  readonly expiresAtMs: number;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  readonly role: OperatorRole;
  /** Name of the account. Undefined if the operator presented the operator token, or signed in with it. */
  readonly account?: string | undefined;
  /** Undefined if the request was authenticated with the operator token itself instead of a session. */
  readonly session?: ActiveOperatorSession;
}

/**
 * The credentials that a route accepts. `ingest`: API keys. `reporting`: API keys and client tokens. A role: the operator token, or a
 * session of an operator with at least this role. `monitoring`: requests from this machine that no proxy forwarded need no credential, all
 * others the same as for `viewer`.
 */
export type Access = 'public' | 'ingest' | 'reporting' | OperatorRole | 'monitoring';

const roles: ReadonlySet<string> = new Set(OPERATOR_ROLES);

export const isOperatorAccess = (access: Access): access is OperatorRole => roles.has(access);

/** Throws FORBIDDEN if the route needs a higher role than the operator has. */
export const requireRole = (access: Access, principal: Principal | undefined): void => {
  if (principal?.kind !== 'operator' || !isOperatorAccess(access) || includesRole(principal.role, access)) return;
  throw new ApiError('FORBIDDEN', `This request needs the role ${access}; your role is ${principal.role}.`);
};

/** Resolves with the credential's owner, or undefined if the credential is invalid. Throws ExpiredCredential if it has expired. */
export type VerifyCredential = (credential: string) => Promise<Principal | undefined>;

const realm = 'Bearer realm="popsvc"';

const challenge = (message: string, error: string | undefined) => ({
  'WWW-Authenticate': error ? `${realm}, error="${error}", error_description="${message}"` : realm,
});

/**
 * Builds a 401 error with a challenge (RFC 6750). Omit `error` if the request contained no credential. If the caller is
 * not allowed to access a resource, such as a site of another network, `path` is the parameter or header that names the resource.
 */
export const unauthorized = (message: string, error?: 'invalid_token' | 'invalid_request', path?: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, {
    ...(path !== undefined && { details: [{ path, message }] }),
    headers: challenge(message, error),
  });

/**
 * A 401 error that does not count as a wrong credential: the credential has expired, its owner is retired, or its session has ended or is
 * invalid.
 */
export class ExpiredCredential extends ApiError {
  constructor(message = 'The credential has expired.') {
    super('UNAUTHORIZED', message, { headers: challenge(message, 'invalid_token') });
  }
}

export type ProtectedAccess = Exclude<Access, 'public' | 'monitoring'>;

/**
 * Authenticates a request. Throws UNAUTHORIZED unless its credential is valid, UNAVAILABLE if that cannot be checked, and FORBIDDEN_ORIGIN
 * if a page of another origin uses a session.
 */
export type Authenticate = (request: IncomingMessage, access: ProtectedAccess) => Promise<Principal>;
