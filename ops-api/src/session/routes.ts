import { Instant, instantOf } from '@popsvc/contracts/time';
import {
  type OperatorSession,
  type OperatorSessions,
  readSessionCookie,
  requireSameOrigin,
  sessionCookieName,
  sessionDurationMs,
  unauthorized,
} from '@popsvc/platform/auth';
import {
  clientAddressKey,
  createGuessLimiter,
  jsonResponse,
  noParameters,
  parseBody,
  rawResponse,
  type Route,
  type RouteRequest,
} from '@popsvc/platform/http';
import { z } from 'zod';

export interface SessionDependencies {
  /** The sessions of browsers that signed in with the operator token. */
  readonly sessions: OperatorSessions;
}

/**
 * Returns true if the browser uses TLS. This can be determined only from `X-Forwarded-Proto` or the origin of the page, because a
 * proxy terminates TLS.
 */
const isSecure = (request: Pick<RouteRequest, 'header'>): boolean =>
  request.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
  request.header('origin')?.startsWith('https:') === true;

const cookie = (value: string, seconds: number, request: Pick<RouteRequest, 'header'>) => ({
  'Set-Cookie': [
    `${sessionCookieName}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(request) ? ['Secure'] : []),
  ].join('; '),
});

/** `beginCookie` returns the header that sets the session cookie, `endCookie` the one that clears it. */
const beginCookie = ({ value }: OperatorSession, request: Pick<RouteRequest, 'header'>) =>
  cookie(value, sessionDurationMs / 1_000, request);
const endCookie = (request: Pick<RouteRequest, 'header'>) => cookie('', 0, request);

const path = '/ops/v1/session';
/**
 * Limits wrong tokens to 10 a minute per address. A valid token is always accepted, because the address may belong to a
 * shared proxy. The length of the token already makes guessing infeasible; this limit only slows attempts down.
 */
const wrongTokenRate = { perSecond: 10 / 60, burst: 10 };

const OpenSessionRequest = z.strictObject({ token: z.string().min(1).max(1_000).describe('`POPSVC_OPERATOR_TOKEN`.') });
const SessionResponse = z
  .object({
    until: Instant.nullable().describe('When it expires; null for a request that presents the operator token.'),
  })
  .meta({ id: 'Session' });

const openSessionRoute = ({ sessions }: SessionDependencies): Route => {
  const wrongTokens = createGuessLimiter({
    rate: wrongTokenRate,
    message: 'Too many wrong tokens from this address. A valid token is accepted at any time.',
  });
  return {
    method: 'post',
    path,
    summary: 'Opens a session of 12 hours for the console, in an HttpOnly cookie.',
    description:
      'At most 10 wrong tokens a minute per address, then each is answered after a second; a valid token is always accepted. Changing the operator token ends every session.',
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
      const { token } = parseBody(OpenSessionRequest, request.body);
      const session = sessions.open(token);
      const from = clientAddressKey(request.remoteAddress);
      if (!session) {
        await wrongTokens.count(request.remoteAddress, request.signal);
        request.log.warn({ from }, 'operator token rejected');
        throw unauthorized('The operator token is not valid.', 'invalid_token');
      }
      request.log.info({ from }, 'operator signed in');
      return rawResponse(204, '', '', beginCookie(session, request));
    },
  };
};

const showSessionRoute: Route = {
  method: 'get',
  path,
  summary: 'When the session expires.',
  operationId: 'showSession',
  access: 'operator',
  examples: [{ name: 'ask' }],
  schemas: { query: noParameters, responses: { 200: SessionResponse } },
  handle({ principal }) {
    const session = principal?.kind === 'operator' ? principal.session : undefined;
    return jsonResponse(200, { until: session ? instantOf(session.expiresAtMs) : null });
  },
};

/** Requires no credential, so clients with an expired session can also sign out. */
const endSessionRoute = ({ sessions }: SessionDependencies): Route => ({
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
    const session = readSessionCookie(request.header('cookie'));
    if (session !== undefined && sessions.expiresAtMs(session) !== undefined) {
      requireSameOrigin((name) => request.header(name));
      await sessions.end(session);
      request.log.info({ from: clientAddressKey(request.remoteAddress) }, 'operator signed out');
    }
    return rawResponse(204, '', '', endCookie(request));
  },
});

export const sessionRoutes = (dependencies: SessionDependencies): readonly Route[] => [
  openSessionRoute(dependencies),
  showSessionRoute,
  endSessionRoute(dependencies),
];
