import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import passport from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import type { Secret } from '../config/index.ts';
import type { Authenticate, ProtectedAccess } from '../http/index.ts';
import { hasApiKeyFormat } from './api-key-text.ts';
import type { ApiKeyVerifier } from './api-key-verifier.ts';
import { HeaderApiKeyStrategy } from './header-api-key-strategy.ts';
import { operatorBySession } from './operator-by-session.ts';
import type { OperatorSessions } from './operator-sessions.ts';
import { operatorVerifier } from './operator-token.ts';
import type { Principal } from './principal.ts';
import { unauthorized } from './unauthorized.ts';
import type { VerifyCredential } from './verify.ts';

export interface AuthenticatorDependencies {
  /** Without it no route takes API keys. */
  readonly apiKeys?: ApiKeyVerifier | undefined;
  /** Access tokens of clients; without it no route takes them. */
  readonly tokens?: { readonly verify: VerifyCredential } | undefined;
  /** Without it nobody is the operator. */
  readonly operatorToken?: Secret | undefined;
  /** Without them the operator's token itself is needed. */
  readonly sessions?: OperatorSessions | undefined;
}

const nobody: VerifyCredential = () => Promise.resolve(undefined);

const wanted: Record<ProtectedAccess, string> = {
  ingest: 'An API key is needed, as X-API-Key or as a bearer token.',
  reporting: 'An access token or an API key is needed.',
  operator: 'The operator token is needed.',
};
const refused: Record<ProtectedAccess, string> = {
  ingest: 'The API key is not valid here.',
  reporting: 'The credential is not valid or has expired.',
  operator: 'The operator token is not valid.',
};

/** Who asks, by passport: one strategy for `X-API-Key` and one bearer strategy for each kind of route. */
export const createAuthenticator = ({
  apiKeys,
  tokens,
  operatorToken,
  sessions,
}: AuthenticatorDependencies): Authenticate => {
  const keys: VerifyCredential = apiKeys ? (key) => apiKeys.verify(key) : nobody;
  const clients: VerifyCredential = tokens ? (token) => tokens.verify(token) : nobody;
  const bearers: Record<ProtectedAccess, VerifyCredential> = {
    ingest: keys,
    reporting: (text) => (hasApiKeyFormat(text) ? keys(text) : clients(text)),
    operator: operatorVerifier(operatorToken),
  };
  const doorman = new passport.Passport();
  doorman.use(new HeaderApiKeyStrategy(keys));
  for (const [access, verify] of Object.entries(bearers)) doorman.use(`bearer-${access}`, bearerStrategy(verify));

  return async (request, access) => {
    const { authorization, 'x-api-key': key } = request.headers;
    if (key !== undefined && authorization !== undefined && access !== 'operator')
      throw unauthorized('Present one credential, not two.', 'invalid_request');
    const byKey = key !== undefined && access !== 'operator';
    if (!byKey && authorization === undefined) {
      const operator = access === 'operator' && sessions ? operatorBySession(sessions, request) : undefined;
      if (operator) return operator;
      throw unauthorized(wanted[access]);
    }
    return asked(doorman, byKey ? 'x-api-key' : `bearer-${access}`, request, access);
  };
};

const bearerStrategy = (verify: VerifyCredential) =>
  new BearerStrategy((token, done) => {
    verify(token).then(
      (principal) => done(null, principal ?? false),
      (error: unknown) => done(error),
    );
  });

/** Passport was made for middleware; with a callback of ours it writes nothing itself, so it needs no response. */
const asked = (doorman: passport.Authenticator, strategy: string, request: IncomingMessage, access: ProtectedAccess) =>
  new Promise<Principal>((resolve, reject) => {
    const outcome = (error: unknown, principal: Principal | false | undefined) => {
      if (error) reject(error instanceof Error ? error : new Error('a strategy failed', { cause: error }));
      else if (principal) resolve(principal);
      else reject(unauthorized(refused[access], 'invalid_token'));
    };
    const middleware = doorman.authenticate(strategy, { session: false }, outcome) as (
      request: Request,
      response: Response,
      next: (error: unknown) => void,
    ) => void;
    middleware(request as Request, undefined as unknown as Response, reject);
  });
