import { type OperatorSession, sessionCookieName, sessionDurationMs } from '@popsvc/platform/auth';
import type { RouteRequest } from '@popsvc/platform/http';

/** Whether the page came by TLS, which ends before us: a proxy says so, or the browser by where its page is from. */
const isSecure = (asked: Pick<RouteRequest, 'header'>): boolean =>
  asked.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
  asked.header('origin')?.startsWith('https:') === true;

const cookie = (value: string, seconds: number, asked: Pick<RouteRequest, 'header'>) => ({
  'Set-Cookie': [
    `${sessionCookieName}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(asked) ? ['Secure'] : []),
  ].join('; '),
});

/** Headers that give a browser its session, or take it away. */
export const beginCookie = ({ value }: OperatorSession, asked: Pick<RouteRequest, 'header'>) =>
  cookie(value, sessionDurationMs / 1_000, asked);
export const endCookie = (asked: Pick<RouteRequest, 'header'>) => cookie('', 0, asked);
