import type { SentResponse } from '@popsvc/platform/http';

/** Pages and their parts, and public keys: nothing of anybody's is in them. */
const isPublic = (path: string | undefined) => path === undefined || !/^\/(api|popsvc|ops|oauth)\//.test(path);

/** Which of the headers that protect every answer one lacks; undefined where all are there. */
export const wrongHeaders = ({ path, headers }: Pick<SentResponse, 'path' | 'headers'>): string | undefined => {
  const {
    'Content-Security-Policy': policy = '',
    'X-Content-Type-Options': sniffing,
    'Referrer-Policy': referrer,
    'Cache-Control': caching = '',
    'X-Request-Id': requestId = '',
  } = headers;
  if (sniffing !== 'nosniff') return 'without X-Content-Type-Options: nosniff';
  if (referrer !== 'no-referrer') return 'without Referrer-Policy: no-referrer';
  if (!policy.startsWith("default-src 'none'") || !policy.includes("frame-ancestors 'none'"))
    return `with a Content-Security-Policy that lets in ${policy}`;
  if (!caching.includes('no-store') && !(isPublic(path) && caching !== '')) return `with Cache-Control: ${caching}`;
  return requestId === '' ? 'without X-Request-Id' : undefined;
};
