import type { IncomingMessage } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';

/** An authenticated caller. */
export type Principal = ApiKeyPrincipal | ClientPrincipal | OperatorPrincipal;

export interface ApiKeyPrincipal {
  readonly kind: 'api-key';
  readonly keyId: string;
  readonly network: number;
  /** Vendor code. */
  readonly vendor: string;
  readonly rates: Rates;
}

/** The sustained rates of an API key. The burst is twice the rate of a second. */
export interface Rates {
  readonly requestsPerSecond: number;
  readonly eventsPerSecond: number;
}

export interface ClientPrincipal {
  readonly kind: 'client';
  readonly clientId: string;
  /** In the order of the token; the first is the default network. */
  readonly networkIds: readonly number[];
}

/** The browser session that authenticated a request. */
interface ActiveOperatorSession {
  /** ms since 1970 */
  readonly expiresAtMs: number;
  /** False after expiry or sign-out. Event streams that outlive the request check it. */
  isActive(): boolean;
}

export interface OperatorPrincipal {
  readonly kind: 'operator';
  /** Undefined when the request presents the operator token itself. */
  readonly session?: ActiveOperatorSession;
}

/**
 * Credentials that a route accepts. `ingest`: API keys. `reporting`: API keys and client tokens. `operator`: the operator token
 * or a session opened with it. `monitoring`: requests from this machine without a credential; others need the operator token.
 */
export type Access = 'public' | 'ingest' | 'reporting' | 'operator' | 'monitoring';

/** Resolves with the owner of a credential, or undefined when the credential is invalid here. */
export type VerifyCredential = (credential: string) => Promise<Principal | undefined>;

const realm = 'Bearer realm="popsvc"';

/**
 * Builds a 401 with the challenge of RFC 6750. Omit `error` when the request presented no credential. `path` names the parameter
 * that exceeds the caller's access.
 */
export const unauthorized = (message: string, error?: 'invalid_token' | 'invalid_request', path?: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, {
    ...(path !== undefined && { details: [{ path, message }] }),
    headers: { 'WWW-Authenticate': error ? `${realm}, error="${error}", error_description="${message}"` : realm },
  });

/** Access levels that require a credential. */
export type ProtectedAccess = Exclude<Access, 'public' | 'monitoring'>;

/** Authenticates a request, or throws UNAUTHORIZED with the reason. */
export type Authenticate = (request: IncomingMessage, access: ProtectedAccess) => Promise<Principal>;
