import type { IncomingMessage } from 'node:http';
import type { OperatorSessions } from './operator-sessions.ts';
import { requireOwnPage } from './own-page.ts';
import type { OperatorPrincipal } from './principal.ts';
import { unauthorized } from './unauthorized.ts';

export const sessionCookie = 'popsvc_session';

const inCookies = new RegExp(`(?:^|;) *${sessionCookie}=([^;]*)`);

/** What the cookie of a session holds; undefined where there is none. */
export const sessionIn = (cookies: string | undefined): string | undefined => inCookies.exec(cookies ?? '')?.[1];

/** The operator whose session the request carries; undefined when it carries none. */
export const operatorBySession = (
  sessions: OperatorSessions,
  request: IncomingMessage,
): OperatorPrincipal | undefined => {
  const value = sessionIn(request.headers.cookie);
  if (value === undefined) return undefined;
  const untilMs = sessions.untilOf(value);
  if (untilMs === undefined) throw unauthorized('The session has ended.', 'invalid_token');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading) requireOwnPage((name) => request.headers[name]?.toString());
  return { kind: 'operator', session: { untilMs, lasts: () => sessions.untilOf(value) !== undefined } };
};
