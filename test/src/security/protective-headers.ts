import type { SentResponse } from '@popsvc/http-kit/server';

/** Public pages, their assets and public keys, which may be cached. */
const isPublic = (path: string | undefined) => path === undefined || !/^\/(api|popsvc|ops|oauth)\//.test(path);

/** Names a protective header that a response does not have; undefined if it has all of them. */
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
