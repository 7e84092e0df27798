import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticate, Principal } from '../auth/access.ts';
import type { Route } from '../endpoints/route.ts';
import { runInSpan, setSpanAttributes, type SpanOptions } from '../telemetry/index.ts';
import { handleError } from './handle-error.ts';
import { wasErrorSent } from './metrics.ts';
import { streamBody, readBody } from './request-body.ts';
import { RequestContext } from './request-context.ts';
import { sendResponse } from './send-response.ts';
import type { ServerContext } from './server-context.ts';

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/**
 * Returns whether the request comes from this machine: the peer address is loopback, and no header shows that a proxy forwarded
 * it.
 */
const isLoopback = ({ socket, headers }: IncomingMessage): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') &&
  forwardingHeaders.every((name) => headers[name] === undefined);

/** Authenticates a request as its route requires. Returns undefined if no credential is needed. */
const authenticateRequest = (
  { access }: Route,
  request: IncomingMessage,
  authenticate: Authenticate,
): Promise<Principal> | undefined => {
  if (access === 'public') return undefined;
  if (access !== 'monitoring') return authenticate(request, access);
  return isLoopback(request) ? undefined : authenticate(request, 'operator');
};

/**
 * Builds the options for a request's span in the caller's trace. They contain the route's path, not the requested path and query,
 * because those may contain personal or secret data.
 */
const requestSpanOptions = (path: string, { method = '', headers, httpVersion }: IncomingMessage): SpanOptions => {
  const { traceparent } = headers;
  return {
    name: `${method} ${path}`,
    kind: 'server',
    // A request without a trace context starts a new trace.
    parent: traceparent === undefined ? 'new' : String(traceparent),
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'url.scheme': 'http',
      'network.protocol.version': httpVersion,
    },
  };
};

/** Probe requests are frequent and are not traced. */
const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
const isTraced = ({ path }: Pick<Route, 'path'>): boolean => !probePaths.has(path);

const recordResponse = ({ requestId, principal, response: { statusCode } }: RequestContext): void =>
  setSpanAttributes(() => ({
    'http.response.status_code': statusCode,
    'popsvc.request_id': requestId,
    ...(principal?.kind === 'api-key' && { 'popsvc.key_id': principal.keyId }),
    ...(statusCode >= 500 && { 'error.type': String(statusCode) }),
  }));

const defaultMaxBodyBytes = 1_048_576;

const runRoute = async (
  route: Route,
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  const startedAt = performance.now();
  const context = new RequestContext(request, response, params, server.log);
  context.route = route;
  context.limits = server.limits;
  try {
    if (route.isConcurrencyLimited) server.concurrency.assertCapacity();
    context.principal = await authenticateRequest(route, request, server.authenticate);
    context.allowance = server.rates?.allowanceOf(context.principal);
    context.allowance?.spend('requests', 1);
    if (route.body === 'stream') context.bodyChunks = streamBody(context, server.limits.bodyIdleTimeoutMs);
    else if (route.body) await readBody(context, route.body, route.maxBytes ?? defaultMaxBodyBytes, server);
    const work = () => route.handle(context);
    await sendResponse(context, await (route.isConcurrencyLimited ? server.concurrency.run(work) : work()));
  } catch (thrown) {
    const failure = await handleError(context, thrown, route.renderError).catch(() => {
      response.destroy();
      return 'cut' as const;
    });
    server.metrics.failed(route.path, failure);
    if (wasErrorSent(failure)) route.onRejected?.(context, failure);
  } finally {
    server.budget.giveBack(context.heldBytes);
    server.metrics.done(route.path, request.method ?? '', response.statusCode, (performance.now() - startedAt) / 1_000);
    recordResponse(context);
  }
};

/**
 * Handles a request: authenticates the caller, applies the rate limit, reads the body, calls the route handler and sends the
 * response. The body is read only after authentication.
 */
export const handleRequest = (
  route: Route,
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  const run = () => runRoute(route, server, request, response, params);
  return isTraced(route) ? runInSpan(() => requestSpanOptions(route.path, request), run) : run();
};
