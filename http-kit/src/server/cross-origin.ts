import type { IncomingMessage } from 'node:http';
import { replyHeaders } from '../endpoints/response-headers.ts';
import type { ResponseHeaders } from '../endpoints/response.ts';
import { isProbe } from './probes.ts';

export interface CrossOrigin {
  headersOf(request: IncomingMessage): ResponseHeaders;
  /** `methods`: the allowed methods, separated by commas. */
  preflightHeadersOf(request: IncomingMessage, methods: string): ResponseHeaders;
}

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

/** Browsers never show `Set-Cookie` to pages. */
const exposedHeaders = Object.keys(replyHeaders)
  .filter((name) => name !== 'Set-Cookie')
  .join(', ');

const preflightSeconds = 600;

const noHeaders: ResponseHeaders = {};

/** Never sends `Access-Control-Allow-Credentials`, so a page of another origin needs a token or key. */
export const createCrossOrigin = (origins: readonly string[]): CrossOrigin => {
  const allowed = new Set(origins);
  const allowedOriginOf = ({ url, headers: { origin } }: IncomingMessage): string | undefined =>
    // Pages of other origins need no access to probes and metrics.
    origin !== undefined && allowed.has(origin) && !isProbe(url) ? origin : undefined;
  return {
    headersOf(request) {
      if (allowed.size === 0) return noHeaders;
      const origin = allowedOriginOf(request);
      // A cache must not send the response for one origin to another.
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
