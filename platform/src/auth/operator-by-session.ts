import type { IncomingMessage } from 'node:http';
import { Refusal } from '@popsvc/contracts/errors';
import type { OperatorSessions } from './operator-sessions.ts';
import type { OperatorPrincipal } from './principal.ts';
import { unauthorized } from './unauthorized.ts';

export const sessionCookie = 'popsvc_session';

const inCookies = new RegExp(`(?:^|;) *${sessionCookie}=([^;]*)`);

const isHost = (origin: string, host: string | undefined): boolean =>
  host !== undefined && URL.canParse(origin) && new URL(origin).host === host;

/** Whether a page of this very server asks. Browsers tell one or the other of every request that could change something. */
const isOwnPage = ({ headers }: IncomingMessage): boolean =>
  headers['sec-fetch-site'] === 'same-origin' || isHost(headers.origin ?? '', headers.host);

/**
 * The operator whose session the request carries; undefined when it carries none. A browser adds the cookie whoever made the
 * page that asks, so what may change something is refused unless the page is ours.
 */
export const operatorBySession = (
  sessions: OperatorSessions,
  request: IncomingMessage,
): OperatorPrincipal | undefined => {
  const value = inCookies.exec(request.headers.cookie ?? '')?.[1];
  if (value === undefined) return undefined;
  const sessionUntilMs = sessions.untilOf(value);
  if (sessionUntilMs === undefined) throw unauthorized('The session has ended.', 'invalid_token');
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (!isReading && !isOwnPage(request))
    throw new Refusal('FORBIDDEN_NETWORKS', 'With a session, only pages of this server may change something.');
  return { kind: 'operator', sessionUntilMs };
};
