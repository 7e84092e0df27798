import { type OperatorSession, sessionCookie, sessionMs } from '@popsvc/platform/auth';
import type { Asked } from '@popsvc/platform/http';

/** Whether the page came by TLS, which ends before us: a proxy says so, or the browser by where its page is from. */
const isSecure = (asked: Pick<Asked, 'header'>): boolean =>
  asked.header('x-forwarded-proto')?.split(',')[0]?.trim() === 'https' ||
  asked.header('origin')?.startsWith('https:') === true;

const cookie = (value: string, seconds: number, asked: Pick<Asked, 'header'>) => ({
  'Set-Cookie': [
    `${sessionCookie}=${value}`,
    'Path=/',
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure(asked) ? ['Secure'] : []),
  ].join('; '),
});

/** Headers that give a browser its session, or take it away. */
export const beginCookie = ({ value }: OperatorSession, asked: Pick<Asked, 'header'>) =>
  cookie(value, sessionMs / 1_000, asked);
export const endCookie = (asked: Pick<Asked, 'header'>) => cookie('', 0, asked);
