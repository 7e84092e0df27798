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

/** The methods that passport adds to a strategy for the duration of one request. */
interface StrategyActions {
  success(user: object): void;
  fail(challenge?: string): void;
  error(error: unknown): void;
}

/**
 * The passport strategy for `X-API-Key`. `verify` is a public field because passport calls `authenticate` on an object whose
 * prototype is the strategy; private fields are not reachable there.
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
  /** Verifies access tokens of clients. If undefined, no route accepts access tokens. */
  readonly tokens?: { readonly verify: VerifyCredential } | undefined;
  /** If undefined, no route accepts the operator token. */
  readonly operatorToken?: Secret | undefined;
  /** If undefined, no route accepts session cookies. */
  readonly sessions?: OperatorSessions | undefined;
}

const rejectAll: VerifyCredential = () => Promise.resolve(undefined);

/** The kinds of credentials that routes accept. Routes of all operator roles accept the same kind. */
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

/** Creates a function that authenticates requests: `X-API-Key` and bearer credentials with passport, session cookies without it. */
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

/**
 * Runs a passport strategy outside Express middleware. Passport does not need a response object here, because it reports the
 * outcome to a callback instead of writing a response.
 */
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

/** Whether the registry has retired the network and the vendor of an API key. */
export interface RetiredSender {
  readonly network: boolean;
  readonly vendor: boolean;
}

/**
 * Creates an `Authenticate` that also throws UNAUTHORIZED for an API key whose vendor or network is retired. The key is valid again
 * when neither is retired.
 */
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
