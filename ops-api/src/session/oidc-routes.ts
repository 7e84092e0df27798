import { invalidParam } from '@popsvc/contracts/errors';
import {
  type OidcSignIn,
  type OperatorSessions,
  PendingSignIn,
  RoleMissing,
  type SessionAccount,
} from '@popsvc/http-kit/auth';
import {
  clientAddressKey,
  createAttemptLimiter,
  jsonResponse,
  noParameters,
  parseQuery,
  rawResponse,
  type Route,
  type RouteRequest,
} from '@popsvc/http-kit/server';
import { z } from 'zod';

const path = '/ops/v1/session/oidc';
const callbackPath = `${path}/callback`;

/** Short, because a change of the role at the provider takes effect at the next sign-in. */
const oidcSessionMs = 4 * 3_600_000;

const pendingCookieName = 'popsvc_sign_in';
const pendingSeconds = 600;
const pendingPattern = new RegExp(`(?:^|;) *${pendingCookieName}=([\\w-]{1,3000})`);

/** SameSite=Lax, because the provider's redirect comes from another site. The cookie contains no secret of the service. */
const pendingCookie = (value: string, seconds: number, isTls: boolean): string =>
  [
    `${pendingCookieName}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isTls ? ['Secure'] : []),
  ].join('; ');

const readPending = (request: RouteRequest): PendingSignIn | undefined => {
  const [, value] = pendingPattern.exec(request.header('cookie') ?? '') ?? [];
  if (value === undefined) return undefined;
  try {
    return PendingSignIn.parse(JSON.parse(Buffer.from(value, 'base64url').toString()));
  } catch {
    return undefined;
  }
};

const consoleAddressOf = (redirectUri: string, host: string | undefined): string | undefined => {
  const { protocol, host: named, pathname, search, hash, origin } = new URL(redirectUri);
  const isCallback = ['http:', 'https:'].includes(protocol) && pathname.endsWith(callbackPath) && search + hash === '';
  if (!isCallback || named !== host) return undefined;
  return `${origin}${pathname.slice(0, -callbackPath.length)}/`;
};

const BeginQuery = z.strictObject({ redirect_uri: z.url().max(1_000) });

type Failure = 'expired' | 'role-missing' | 'failed';

export interface OidcDependencies {
  readonly sessions: OperatorSessions;
  readonly oidc?: OidcSignIn | undefined;
}

interface Handlers {
  readonly beginCookie: (session: { readonly value: string }, isTls: boolean, seconds: number) => string;
  readonly onSignedIn: (account: SessionAccount, request: RouteRequest) => void;
}

const signInMethodsRoute = ({ oidc }: OidcDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/session/methods',
  summary: 'How operators can sign in to the console, in addition to the operator token and local accounts.',
  operationId: 'listSignInMethods',
  access: 'public',
  examples: [{ name: 'ask' }],
  schemas: {
    query: noParameters,
    responses: {
      200: z
        .object({ oidc: z.boolean().describe('Whether an OpenID provider is configured.') })
        .meta({ id: 'SignInMethods' }),
    },
  },
  handle: () => jsonResponse(200, { oidc: oidc !== undefined }),
});

const redirectRoutes = (oidc: OidcSignIn, sessions: OperatorSessions, handlers: Handlers): readonly Route[] => {
  const attempts = createAttemptLimiter({
    rate: { perSecond: 30 / 60, burst: 30 },
    message: 'Too many sign-ins from this address.',
  });
  const finish = async (
    request: RouteRequest,
    pending: PendingSignIn | undefined,
  ): Promise<SessionAccount | Failure> => {
    if (!pending) return 'expired';
    const from = clientAddressKey(request.remoteAddress);
    try {
      return await oidc.finish(request.url.split('?')[1] ?? '', pending);
    } catch (err) {
      request.log.warn({ err, from }, 'OpenID sign-in rejected');
      return err instanceof RoleMissing ? 'role-missing' : 'failed';
    }
  };
  return [
    {
      method: 'get',
      path,
      summary: 'Sends the browser to the OpenID provider.',
      access: 'public',
      isInternal: true,
      schemas: { query: BeginQuery },
      async handle(request) {
        attempts.count(clientAddressKey(request.remoteAddress));
        const { redirect_uri: redirectUri } = parseQuery(BeginQuery, request.query);
        if (consoleAddressOf(redirectUri, request.header('host')) === undefined)
          throw invalidParam('redirect_uri', `redirect_uri must be the address of this server with ${callbackPath}`);
        const { url, pending } = await oidc.begin(redirectUri);
        const value = Buffer.from(JSON.stringify(pending)).toString('base64url');
        return rawResponse(302, '', '', {
          Location: url,
          'Set-Cookie': pendingCookie(value, pendingSeconds, redirectUri.startsWith('https:')),
        });
      },
    },
    {
      method: 'get',
      path: callbackPath,
      summary: 'Opens a session when the OpenID provider sends the browser back.',
      access: 'public',
      isInternal: true,
      async handle(request) {
        attempts.count(clientAddressKey(request.remoteAddress));
        const pending = readPending(request);
        const address = pending && consoleAddressOf(pending.redirectUri, request.header('host'));
        const outcome = await finish(request, address === undefined ? undefined : pending);
        const isTls = address?.startsWith('https:') === true;
        // Without a valid cookie, the address of the console is unknown. This path leads from the callback to the console.
        const target = address ?? '../../../../';
        if (typeof outcome === 'string')
          return rawResponse(302, '', '', {
            Location: `${target}#/?sign-in=${outcome}`,
            'Set-Cookie': pendingCookie('', 0, isTls),
          });
        handlers.onSignedIn(outcome, request);
        const session = sessions.openFor(outcome, oidcSessionMs);
        return rawResponse(302, '', '', {
          Location: target,
          'Set-Cookie': handlers.beginCookie(session, isTls, oidcSessionMs / 1_000),
        });
      },
    },
  ];
};

export const oidcRoutes = ({ oidc, sessions }: OidcDependencies, handlers: Handlers): readonly Route[] => [
  signInMethodsRoute({ oidc, sessions }),
  ...(oidc ? redirectRoutes(oidc, sessions, handlers) : []),
];
