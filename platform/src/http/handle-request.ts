import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate, Principal } from '../auth/access.ts';
import type { Route } from '../endpoints/route.ts';
import { runInSpan, setSpanAttributes, type SpanOptions } from '../telemetry/index.ts';
import { fail } from './handle-error.ts';
import { bodyChunks, readBody } from './request-body.ts';
import { RequestContext } from './request-context.ts';
import { send } from './send-response.ts';
import type { ServerContext } from './server-context.ts';

const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the request comes from this machine: the peer address is loopback and no header shows that a proxy forwarded it. */
const isLoopback = ({ socket, headers }: IncomingMessage): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') && forwarded.every((name) => headers[name] === undefined);

/** Authenticates a request as its route requires; undefined where no credential is needed. */
const admit = (
  { access }: Route,
  request: IncomingMessage,
  authenticate: Authenticate,
): Promise<Principal> | undefined => {
  if (access === 'public') return undefined;
  if (access !== 'monitoring') return authenticate(request, access);
  return isLoopback(request) ? undefined : authenticate(request, 'operator');
};

/**
 * Builds the span of a request within the caller's trace. The requested path and query are left out, because they may contain
 * anything.
 */
const requestSpan = (path: string, { method = '', headers, httpVersion }: IncomingMessage): SpanOptions => {
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

/** Probes are polled often and are not traced. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const isTraced = ({ path }: Pick<Route, 'path'>): boolean => !probePaths.has(path);

const noteAnswer = ({ requestId, principal, response: { statusCode } }: RequestContext): void =>
  setSpanAttributes(() => ({
    'http.response.status_code': statusCode,
    'popsvc.request_id': requestId,
    ...(principal?.kind === 'api-key' && { 'popsvc.key_id': principal.keyId }),
    ...(statusCode >= 500 && { 'error.type': String(statusCode) }),
  }));

const standardMaxBytes = 1_048_576;

const through = async (
  route: Route,
  door: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  const began = performance.now();
  const exchange = new RequestContext(request, response, params, door.log);
  exchange.route = route;
  exchange.limits = door.limits;
  try {
    if (route.isConcurrencyLimited) door.pace.pass();
    if (route.access !== 'public') exchange.principal = await admit(route, request, door.authenticate);
    exchange.allowance = door.rates?.allowanceOf(exchange.principal);
    exchange.allowance?.spend('requests', 1);
    if (route.body === 'stream') exchange.bodyChunks = bodyChunks(exchange, door.limits.bodyIdleTimeoutMs);
    else if (route.body) await readBody(exchange, route.body, route.maxBytes ?? standardMaxBytes, door);
    const work = () => route.handle(exchange);
    await send(exchange, await (route.isConcurrencyLimited ? door.pace.run(work) : work()));
  } catch (thrown) {
    const how = await fail(exchange, thrown, route.renderError).catch(() => {
      response.destroy();
      return 'cut' as const;
    });
    door.metrics.failed(route.path, how);
    if (how !== 'left' && how !== 'cut') route.onRefused?.(exchange, how);
  } finally {
    door.budget.giveBack(exchange.heldBytes);
    door.metrics.done(route.path, request.method ?? '', response.statusCode, (performance.now() - began) / 1_000);
    noteAnswer(exchange);
  }
};

/**
 * Handles a request of a route: authentication, rate limit, body, handler, response. The body is read only after authentication.
 */
export const serve = (...given: Parameters<typeof through>): Promise<void> => {
  const [route, , request] = given;
  if (!isTraced(route)) return through(...given);
  return runInSpan(
    () => requestSpan(route.path, request),
    () => through(...given),
  );
};
