import type { IncomingMessage } from 'node:http';
import type { OperatorSessions } from './operator-sessions.ts';
import { requireSameOrigin } from './own-page.ts';
import type { OperatorPrincipal } from './principal.ts';
import { unauthorized } from './unauthorized.ts';

export const sessionCookieName = 'popsvc_session';

const inCookies = new RegExp(`(?:^|;) *${sessionCookieName}=([^;]*)`);

/** What the cookie of a session holds; undefined where there is none. */
export const readSessionCookie = (cookies: string | undefined): string | undefined =>
  inCookies.exec(cookies ?? '')?.[1];

/** The operator whose session the request carries; undefined when it carries none. */
export const operatorBySession = (
  sessions: OperatorSessions,
  request: IncomingMessage,
): OperatorPrincipal | undefined => {
  const value = readSessionCookie(request.headers.cookie);
  if (value === undefined) return undefined;
  const untilMs = sessions.expiresAtMs(value);
  if (untilMs === undefined) throw unauthorized('The session has ended.', 'invalid_token');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading) requireSameOrigin((name) => request.headers[name]?.toString());
  return {
    kind: 'operator',
    session: { expiresAtMs: untilMs, isActive: () => sessions.expiresAtMs(value) !== undefined },
  };
};
