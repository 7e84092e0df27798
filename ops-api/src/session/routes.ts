import { Instant, instantOf } from '@popsvc/contracts/time';
import { OPERATOR_ROLES } from '@popsvc/contracts/vocabulary';
import {
  type OperatorSession,
  type OperatorSessions,
  readSessionCookie,
  type SessionAccount,
  sessionCookieName,
  sessionDurationMs,
  unauthorized,
} from '@popsvc/http-kit/auth';
import {
  clientAddressKey,
  createGuessLimiter,
  type GuessLimiter,
  jsonResponse,
  noParameters,
  parseBody,
  rawResponse,
  type Route,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { type OperatorAction, recordAction } from '../audit/audit-log.ts';
import { type OidcDependencies, oidcRoutes } from './oidc-routes.ts';
import { createPasswordCheck } from './password-check.ts';

export interface SessionDependencies extends OidcDependencies {
  readonly sessions: OperatorSessions;
  readonly postgres: Postgres;
  readonly store: Pick<EventStore, 'append'>;
  readonly wrongTokens: GuessLimiter;
}

/** Does not wait for the audit log, because operators must be able to sign in while the event store does not answer. */
const recordSessionAction = (
  store: SessionDependencies['store'],
  operator: Parameters<typeof recordAction>[1],
  request: RouteRequest,
  action: OperatorAction['action'],
): void => {
  recordAction(store, operator, request, { action, target: {}, outcome: 'done' }).catch((err: unknown) =>
    request.log.error({ err, action, account: operator.account }, 'failed to record a session in the audit log'),
  );
};

/** A proxy may terminate TLS, so only `X-Forwarded-Proto` or the origin of the page shows that the browser uses TLS. */
const isSecure = (request: Pick<RouteRequest, 'header'>): boolean =>
  request.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
  request.header('origin')?.startsWith('https:') === true;

const cookie = (value: string, seconds: number, isTls: boolean): string =>
  [
    `${sessionCookieName}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isTls ? ['Secure'] : []),
  ].join('; ');

const beginCookie = ({ value }: OperatorSession, request: Pick<RouteRequest, 'header'>) => ({
  'Set-Cookie': cookie(value, sessionDurationMs / 1_000, isSecure(request)),
});
const endCookie = (request: Pick<RouteRequest, 'header'>) => ({ 'Set-Cookie': cookie('', 0, isSecure(request)) });

const path = '/ops/v1/session';
/**
 * Accepts a valid token at any time, because the address may belong to a shared proxy. The token is too long to be guessed; the
 * limit only slows attempts down.
 */
export const createWrongTokenLimiter = (): GuessLimiter =>
  createGuessLimiter({
    rate: { perSecond: 10 / 60, burst: 10 },
    message: 'Too many wrong tokens from this address. A valid token is accepted at any time.',
  });

const OpenSessionRequest = z
  .strictObject({
    token: z.string().min(1).max(1_000).optional().describe('`POPSVC_OPERATOR_TOKEN`.'),
    account: z.string().min(1).max(200).optional().describe('Name of a local account.'),
    password: z.string().min(1).max(200).optional().describe('Password of the account.'),
  })
  .superRefine(({ token, account, password }, context) => {
    const isComplete = token === undefined ? account !== undefined && password !== undefined : true;
    if (isComplete && (token === undefined || (account === undefined && password === undefined))) return;
    context.addIssue({ code: 'custom', message: 'must have either token, or account and password' });
  });
const SessionResponse = z
  .object({
    until: Instant.nullable().describe('When it expires; null for a request that presents the operator token.'),
    account: z.string().nullable().describe('Name of the account; null for the operator token.'),
    role: z.enum(OPERATOR_ROLES).describe('Each role includes the rights of the roles before it.'),
  })
  .meta({ id: 'Session' });

interface SignIn {
  readonly session: OperatorSession;
  /** Undefined for the operator token. */
  readonly account?: SessionAccount;
}

const openSessionRoute = ({ sessions, postgres, store, wrongTokens }: SessionDependencies): Route => {
  const checkPassword = createPasswordCheck(postgres);
  const openWithToken = async (token: string, request: RouteRequest): Promise<SignIn> => {
    const session = sessions.open(token);
    if (session) return { session };
    await wrongTokens.count(request.remoteAddress, request.signal);
    request.log.warn({ from: clientAddressKey(request.remoteAddress) }, 'operator token rejected');
    throw unauthorized('The operator token is not valid.', 'invalid_token');
  };
  const openWithPassword = async (name: string, password: string, request: RouteRequest): Promise<SignIn> => {
    const account = await checkPassword(name, password, request.remoteAddress);
    if (account) return { session: sessions.openFor(account), account };
    request.log.warn({ from: clientAddressKey(request.remoteAddress) }, 'account or password rejected');
    throw unauthorized('The account or the password is not valid.', 'invalid_token');
  };
  return {
    method: 'post',
    path,
    summary: 'Opens a session of 12 hours for the console, in an HttpOnly cookie.',
    description:
      'With the operator token, or with a local account and its password. At most 10 wrong tokens a minute per address, then each is answered after a second; a valid token is always accepted. At most 10 sign-ins a minute per account and 30 per address. Changing the operator token ends every session; changing or deleting an account ends its sessions.',
    operationId: 'openSession',
    access: 'public',
    body: 'json',
    maxBytes: 4_096,
    examples: [{ name: 'open', body: { token: 'the operator token' } }],
    schemas: {
      query: noParameters,
      body: OpenSessionRequest,
      responses: { 204: z.void().describe('Opened.') },
      responseHeaders: ['Set-Cookie'],
    },
    errorCodes: ['UNAUTHORIZED', 'RATE_LIMITED'],
    async handle(request) {
      const { token, account: name = '', password = '' } = parseBody(OpenSessionRequest, request.body);
      const { session, account } =
        token === undefined ? await openWithPassword(name, password, request) : await openWithToken(token, request);
      const from = clientAddressKey(request.remoteAddress);
      request.log.info({ from, ...(account && { account: account.name }) }, 'operator signed in');
      const operator = { account: account?.name, role: account?.role ?? 'admin' } as const;
      recordSessionAction(store, operator, request, 'openSession');
      return rawResponse(204, '', '', beginCookie(session, request));
    },
  };
};

const showSessionRoute: Route = {
  method: 'get',
  path,
  summary: 'When the session expires, and the role of the operator.',
  operationId: 'showSession',
  access: 'viewer',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: SessionResponse } },
  handle({ principal }) {
    if (principal?.kind !== 'operator') throw unauthorized('The operator token is required.');
    const { session, account = null, role } = principal;
    return jsonResponse(200, { until: session ? instantOf(session.expiresAtMs) : null, account, role });
  },
};

/** Public, so that clients with an expired session can also sign out. */
const endSessionRoute = ({ sessions, store }: SessionDependencies): Route => ({
  method: 'delete',
  path,
  summary: 'Ends the session and clears its cookie.',
  description: 'All copies of its cookie become invalid, and event streams opened with it end.',
  operationId: 'endSession',
  access: 'public',
  examples: [{ name: 'end' }],
  schemas: {
    query: noParameters,
    responses: { 204: z.void().describe('Gone.') },
    responseHeaders: ['Set-Cookie'],
  },
  errorCodes: ['FORBIDDEN_ORIGIN'],
  async handle(request) {
    const value = readSessionCookie(request.header('cookie'));
    const session = value === undefined ? undefined : sessions.find(value);
    if (value !== undefined && session !== undefined) {
      sessions.requireOwnPage((name) => request.header(name));
      await sessions.end(value);
      request.log.info({ from: clientAddressKey(request.remoteAddress) }, 'operator signed out');
      const operator = { account: session.account?.name, role: session.account?.role ?? 'admin' } as const;
      recordSessionAction(store, operator, request, 'endSession');
    }
    return rawResponse(204, '', '', endCookie(request));
  },
});

export const sessionRoutes = (dependencies: SessionDependencies): readonly Route[] => [
  openSessionRoute(dependencies),
  showSessionRoute,
  endSessionRoute(dependencies),
  ...oidcRoutes(dependencies, {
    beginCookie: ({ value }, isTls, seconds) => cookie(value, seconds, isTls),
    onSignedIn(account, request) {
      const from = clientAddressKey(request.remoteAddress);
      request.log.info({ from, account: account.name }, 'operator signed in');
      recordSessionAction(dependencies.store, { account: account.name, role: account.role }, request, 'openSession');
    },
  }),
];
