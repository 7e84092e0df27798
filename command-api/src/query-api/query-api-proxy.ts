import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { ApiError } from '@popsvc/contracts/errors';
import { rawResponse, type RawResponse, type Route, type RouteRequest } from '@popsvc/http-kit/server';
import { currentTraceContext, runInSpan, setSpanAttributes, type SpanOptions } from '@popsvc/platform/telemetry';

/** Resolves with the response, whatever its status. Throws UNAVAILABLE if no valid response arrives in time. */
export type ForwardRequest = (method: Route['method'], path: string, request: RouteRequest) => Promise<RawResponse>;

const responseTimeoutMs = 5_000;
/** Some POST requests compare plays, for which query-api reads all plays of a time window. */
const postResponseTimeoutMs = 30_000;
const maxResponseBytes = 16 * 1024 * 1024;

const forwardedHeaders = ['x-api-key', 'authorization', 'accept'] as const;

/** Not forwarded: they apply to one connection, or this server sets its own values. */
const droppedHeaders = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'x-request-id'],
  ...['ratelimit', 'ratelimit-policy'],
  ...['cache-control', 'content-security-policy', 'referrer-policy', 'x-content-type-options'],
]);

/** Uses `node:http`, because `fetch` would normalize a path with an event id such as `..`. */
export const createQueryApiProxy = (url: string): { readonly forward: ForwardRequest; close(): void } => {
  const base = new URL(url);
  const isTls = base.protocol === 'https:';
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 64 });
  const send = (method: Route['method'], path: string, request: RouteRequest, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = createRequestHeaders(request);
      const options = {
        // Only GET reuses connections: query-api may close one at that moment, and only GET is safe to send again.
        agent: method === 'get' && agent,
        headers,
        signal,
        method: method.toUpperCase(),
        path: base.pathname.replace(/\/+$/, '') + path,
      };
      const outgoing = (isTls ? httpsRequest : httpRequest)(base, options, resolve);
      outgoing.once('error', (error: NodeJS.ErrnoException) => {
        // query-api closed the idle connection at the moment of its reuse.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') resolve(send(method, path, request, signal));
        else reject(error);
      });
      outgoing.end(hasBody(request) ? request.bodyBytes : undefined);
    });
  const forward: ForwardRequest = async (method, path, request) => {
    // The signal of `AbortSignal.timeout` could be garbage-collected before it fires, because only the combined signal would refer to it.
    const timeout = new AbortController();
    const timeoutMs = method === 'post' ? postResponseTimeoutMs : responseTimeoutMs;
    const timer = setTimeout(() => timeout.abort(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
    const signal = AbortSignal.any([request.signal, timeout.signal]);
    try {
      const response = await send(method, path, request, signal);
      setSpanAttributes(() => ({ 'http.response.status_code': response.statusCode ?? 0 }));
      const { 'content-type': type = '', ...headers } = readResponseHeaders(response);
      const content = await readResponseBody(response);
      // Another type comes from a reverse proxy that cannot reach query-api.
      if (!type.startsWith('application/json')) throw new Error(`response ${response.statusCode} is not JSON`);
      return rawResponse(response.statusCode ?? 503, type, content, headers);
    } catch (error) {
      throw unavailableQueryApi(error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    forward: (method, path, request) =>
      runInSpan(
        () => describeSpan(base, method.toUpperCase()),
        () => forward(method, path, request),
      ),
    close: () => agent.destroy(),
  };
};

const unavailableQueryApi = (cause: unknown): ApiError =>
  new ApiError('UNAVAILABLE', 'The stored events cannot be read now; try again.', {
    retryAfterSeconds: 2,
    cause,
  });

const createRequestHeaders = (request: RouteRequest): Record<string, string> => {
  const traceContext = currentTraceContext();
  const headers: Record<string, string> = {
    'x-request-id': request.requestId,
    ...(traceContext !== undefined && { traceparent: traceContext }),
  };
  if (hasBody(request)) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = String(request.bodyBytes.length);
  }
  for (const name of forwardedHeaders) {
    const value = request.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
};

const readResponseHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !droppedHeaders.has(name))
      .map(([name, value]) => [name, String(value)]),
  );

const readResponseBody = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error(`the response of query-api exceeds ${maxResponseBytes} bytes`);
  }
  return Buffer.concat(chunks);
};

const hasBody = ({ body }: RouteRequest): boolean => body !== undefined;

const describeSpan = ({ host, protocol }: URL, method: string): SpanOptions => ({
  name: `${method} query-api`,
  kind: 'client',
  attributes: { 'http.request.method': method, 'server.address': host, 'url.scheme': protocol.slice(0, -1) },
});
