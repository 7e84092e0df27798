import type { IncomingMessage } from 'node:http';
import { replyHeaders } from '../endpoints/response-headers.ts';
import type { ResponseHeaders } from '../endpoints/response.ts';

/** Lets pages of other origins read responses (CORS). */
export interface CrossOrigin {
  headersOf(request: IncomingMessage): ResponseHeaders;
  /** Returns additional headers for the response to OPTIONS. `methods`: the allowed methods, separated by commas. */
  preflightHeadersOf(request: IncomingMessage, methods: string): ResponseHeaders;
}

/** The request headers of the public APIs that a browser does not send to other origins without permission. */
const requestHeaders = [
  'Authorization',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'X-API-Key',
  'X-Network-Name',
  'X-Request-Id',
  'traceparent',
].join(', ');

/** The response headers that pages may read. `Set-Cookie` is omitted, because browsers never show it to pages. */
const exposedHeaders = Object.keys(replyHeaders)
  .filter((name) => name !== 'Set-Cookie')
  .join(', ');

const preflightSeconds = 600;

const noHeaders: ResponseHeaders = {};

/** Probes and metrics are for machines: no page of another origin may read them, even if it runs in a browser on this machine. */
const isForPages = (url = ''): boolean => !/^\/(?:metrics|healthz|readyz)(?:\?|$)/.test(url);

/**
 * Permits the given origins, such as `https://player.example.com`, to read responses. Cookies and other credentials that a browser adds
 * by itself are not permitted, so a page needs a token or key. All other origins get no permission.
 */
export const createCrossOrigin = (origins: readonly string[]): CrossOrigin => {
  const allowed = new Set(origins);
  const allowedOriginOf = ({ url, headers: { origin } }: IncomingMessage): string | undefined =>
    origin !== undefined && allowed.has(origin) && isForPages(url) ? origin : undefined;
  return {
    headersOf(request) {
      if (allowed.size === 0) return noHeaders;
      const origin = allowedOriginOf(request);
      // Caches must not send the response for one origin to another one.
      if (origin === undefined) return { Vary: 'Origin' };
      return {
        Vary: 'Origin',
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': exposedHeaders,
      };
    },
    preflightHeadersOf(request, methods) {
      const isPreflight = request.headers['access-control-request-method'] !== undefined;
      if (!isPreflight || allowedOriginOf(request) === undefined) return noHeaders;
      return {
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': requestHeaders,
        'Access-Control-Max-Age': String(preflightSeconds),
      };
    },
  };
};
