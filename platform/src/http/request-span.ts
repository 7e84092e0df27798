import type { IncomingMessage } from 'node:http';
import { setSpanAttributes, type SpanOptions } from '../telemetry/index.ts';
import type { RequestContext } from './exchange.ts';
import type { Route } from './route.ts';

/** Where a request stands in the trace of whoever sent it. The path that was asked and its query are left out: they may hold anything. */
export const requestSpan = (path: string, { method = '', headers, httpVersion }: IncomingMessage): SpanOptions => {
  const { traceparent = 'new' } = headers;
  return {
    name: `${method} ${path}`,
    kind: 'server',
    parent: String(traceparent),
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'url.scheme': 'http',
      'network.protocol.version': httpVersion,
    },
  };
};

/** Asked every moment by machines that want to know no more than the answer. */
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
export const isTraced = ({ path }: Pick<Route, 'path'>): boolean => !probes.has(path);

export const noteAnswer = ({ requestId, principal, response: { statusCode } }: RequestContext): void =>
  setSpanAttributes(() => ({
    'http.response.status_code': statusCode,
    'popsvc.request_id': requestId,
    ...(principal?.kind === 'api-key' && { 'popsvc.key_id': principal.keyId }),
    ...(statusCode >= 500 && { 'error.type': String(statusCode) }),
  }));
