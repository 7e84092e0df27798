import passport from 'passport';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { Secret } from '@popsvc/platform/config';
import {
  type ApiKeyPrincipal,
  type Authenticate,
  ExpiredCredential,
  isOperatorAccess,
  type Principal,
  type ProtectedAccess,
  unauthorized,
  type VerifyCredential,
} from './access.ts';
import { type ApiKeyVerifier, hasApiKeyFormat } from './api-keys.ts';
import { operatorBySession, type OperatorSessions, operatorVerifier } from './operator-sessions.ts';

interface StrategyActions {
  success(user: object): void;
  fail(challenge?: string): void;
  error(error: unknown): void;
}

/**
 * `verify` is public because passport calls `authenticate` on an object whose prototype is the strategy, where private fields are not
 * reachable.
 */
class HeaderApiKeyStrategy extends passport.Strategy {
  override readonly name = 'x-api-key';
  readonly verify: VerifyCredential;

  constructor(verify: VerifyCredential) {
    super();
    this.verify = verify;
  }

  override authenticate(this: this & StrategyActions, request: IncomingMessage): void {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '') {
      this.fail();
      return;
    }
    this.verify(key).then(
      (principal) => (principal ? this.success(principal) : this.fail()),
      (error: unknown) => this.error(error),
    );
  }
}

export interface AuthenticatorDependencies {
  /** If undefined, no route accepts API keys. */
  readonly apiKeys?: ApiKeyVerifier | undefined;
  /** If undefined, no route accepts access tokens. */
  readonly tokens?: { readonly verify: VerifyCredential } | undefined;
  /** If undefined, no route accepts the operator token. */
  readonly operatorToken?: Secret | undefined;
  /** If undefined, no route accepts session cookies. */
  readonly sessions?: OperatorSessions | undefined;
}

const rejectAll: VerifyCredential = () => Promise.resolve(undefined);

type CredentialKind = 'ingest' | 'reporting' | 'operator';

const credentialKindOf = (access: ProtectedAccess): CredentialKind => (isOperatorAccess(access) ? 'operator' : access);

const missingMessages: Record<CredentialKind, string> = {
  ingest: 'An API key is required, as X-API-Key or as a bearer token.',
  reporting: 'An access token or an API key is required.',
  operator: 'The operator token is required.',
};
const invalidMessages: Record<CredentialKind, string> = {
  ingest: 'The API key is not valid here.',
  reporting: 'The credential is not valid or has expired.',
  operator: 'The operator token is not valid.',
};

export const createAuthenticator = ({
  apiKeys,
  tokens,
  operatorToken,
  sessions,
}: AuthenticatorDependencies): Authenticate => {
  const verifyKey: VerifyCredential = apiKeys ? (key) => apiKeys.verify(key) : rejectAll;
  const verifyToken: VerifyCredential = tokens ? (token) => tokens.verify(token) : rejectAll;
  const bearerVerifiers: Record<CredentialKind, VerifyCredential> = {
    ingest: verifyKey,
    reporting: (text) => (hasApiKeyFormat(text) ? verifyKey(text) : verifyToken(text)),
    operator: operatorVerifier(operatorToken),
  };
  const strategies = new passport.Passport();
  strategies.use(new HeaderApiKeyStrategy(verifyKey));
  for (const [kind, verify] of Object.entries(bearerVerifiers))
    strategies.use(`bearer-${kind}`, bearerStrategy(verify));

  return async (request, access) => {
    const kind = credentialKindOf(access);
    const { authorization, 'x-api-key': key } = request.headers;
    if (key !== undefined && authorization !== undefined && kind !== 'operator')
      throw unauthorized('Send one credential, not two.', 'invalid_request');
    const byKey = key !== undefined && kind !== 'operator';
    if (!byKey && authorization === undefined) {
      const operator = kind === 'operator' && sessions ? await operatorBySession(sessions, request) : undefined;
      if (operator) return operator;
      throw unauthorized(missingMessages[kind]);
    }
    return runStrategy(strategies, byKey ? 'x-api-key' : `bearer-${kind}`, request, invalidMessages[kind]);
  };
};

const bearerStrategy = (verify: VerifyCredential) =>
  new BearerStrategy((token, done) => {
    verify(token).then(
      (principal) => done(null, principal ?? false),
      (error: unknown) => done(error),
    );
  });

/** Passport needs no response object here, because it reports the outcome to the callback. */
const runStrategy = (
  strategies: passport.Authenticator,
  strategy: string,
  request: IncomingMessage,
  invalidMessage: string,
) =>
  new Promise<Principal>((resolve, reject) => {
    const outcome = (error: unknown, principal: Principal | false | undefined) => {
      if (error)
        reject(error instanceof Error ? error : new Error('the authentication strategy failed', { cause: error }));
      else if (principal) resolve(principal);
      else reject(unauthorized(invalidMessage, 'invalid_token'));
    };
    const middleware = strategies.authenticate(strategy, { session: false }, outcome) as (
      request: Request,
      response: Response,
      next: (error: unknown) => void,
    ) => void;
    middleware(request as Request, undefined as unknown as Response, reject);
  });

export interface RetiredSender {
  readonly network: boolean;
  readonly vendor: boolean;
}

/** Creates an `Authenticate` that also throws ExpiredCredential while the vendor or network of an API key is retired. */
export const rejectRetiredSenders =
  (
    authenticate: Authenticate,
    findRetired: (key: ApiKeyPrincipal) => RetiredSender | Promise<RetiredSender>,
  ): Authenticate =>
  async (request, access) => {
    const principal = await authenticate(request, access);
    if (principal.kind !== 'api-key') return principal;
    const retired = await findRetired(principal);
    if (retired.network || retired.vendor) {
      const owner = retired.network ? `Network ${principal.network}` : `Vendor ${principal.vendor}`;
      throw new ExpiredCredential(`${owner} is retired, so its API keys are not valid. Ask your operator.`);
    }
    return principal;
  };
