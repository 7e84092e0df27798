import type { ResponseHeaders } from './answer.ts';

/** On every answer: nothing here is a page, a script or a frame, and no cache keeps it unless a route says so. */
export const protectiveHeaders: ResponseHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};
