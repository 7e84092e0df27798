import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { ApiError } from '@popsvc/contracts/errors';
import { type RouteRequest, rawResponse, type RawResponse } from '@popsvc/platform/http';
import { setSpanAttributes, type SpanOptions, runInSpan, currentTraceContext } from '@popsvc/platform/telemetry';

const patienceMs = 5_000;
const mostBytes = 4 * 1024 * 1024;

/** Who asks travels along; the other service looks for itself whether the key is good. */
const sentAlong = ['x-api-key', 'authorization', 'accept'] as const;

/** Of the connection, or told by this server for itself. */
const notPassed = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'x-request-id'],
  ...['ratelimit', 'ratelimit-policy'],
  ...['cache-control', 'content-security-policy', 'referrer-policy', 'x-content-type-options'],
]);

const away = (cause: unknown): ApiError =>
  new ApiError('UNAVAILABLE', 'The service that answers this does not answer now; try again.', {
    retryAfterSeconds: 2,
    cause,
  });

const headersTo = (asked: RouteRequest): Record<string, string> => {
  const trail = currentTraceContext();
  const headers: Record<string, string> = {
    'x-request-id': asked.requestId,
    ...(trail !== undefined && { traceparent: trail }),
  };
  for (const name of sentAlong) {
    const value = asked.header(name);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
};

const headersFrom = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !notPassed.has(name))
      .map(([name, value]) => [name, String(value)]),
  );

const bodyOf = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) throw new Error('the answer is too long to be passed on');
  }
  return Buffer.concat(chunks);
};

/** Asks another service for what it answers; `path` is sent as it is. What it says is passed on whole, also when it says no. */
export type PassOn = (path: string, asked: RouteRequest) => Promise<RawResponse>;

const askedOf = ({ host, protocol }: URL): SpanOptions => ({
  name: 'GET query-api',
  kind: 'client',
  attributes: { 'http.request.method': 'GET', 'server.address': host, 'url.scheme': protocol.slice(0, -1) },
});

/** By Node's own client: fetch would take a path of dots for another path, and event ids may be made of anything. */
export const passOn = (url: string): { readonly ask: PassOn; close(): void } => {
  const base = new URL(url);
  const tls = base.protocol === 'https:';
  const agent = new (tls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 64 });
  const begin = (path: string, asked: RouteRequest, signal: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { agent, headers: headersTo(asked), signal, path: base.pathname.replace(/\/+$/, '') + path };
      const request = (tls ? httpsRequest : httpRequest)(base, options, resolve);
      request.once('error', (error: NodeJS.ErrnoException) => {
        // The other side closed a connection that was kept; nothing was lost but the connection.
        if (request.reusedSocket && error.code === 'ECONNRESET') resolve(begin(path, asked, signal));
        else reject(error);
      });
      request.end();
    });
  const ask: PassOn = async (path, asked) => {
    // Its timer holds it; AbortSignal.timeout, which only the other signal would know, may be collected before its time.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${patienceMs} ms`)), patienceMs);
    const signal = AbortSignal.any([asked.signal, late.signal]);
    try {
      const response = await begin(path, asked, signal);
      setSpanAttributes(() => ({ 'http.response.status_code': response.statusCode ?? 0 }));
      const { 'content-type': type = '', ...headers } = headersFrom(response);
      const content = await bodyOf(response);
      // Only the service itself answers in JSON; anything else is somebody between who cannot reach it.
      if (!type.startsWith('application/json')) throw new Error(`an answer ${response.statusCode} that is not JSON`);
      return rawResponse(response.statusCode ?? 503, type, content, headers);
    } catch (error) {
      throw away(error);
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    ask: (path, asked) =>
      runInSpan(
        () => askedOf(base),
        () => ask(path, asked),
      ),
    close: () => agent.destroy(),
  };
};
