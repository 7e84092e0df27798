import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, type ErrorCode } from '@popsvc/contracts/errors';
import { type Authenticate, ExpiredCredential, type Principal, requireRole } from '../auth/access.ts';
import type { Route } from '../endpoints/route.ts';
import { runInSpan, setSpanAttributes, type SpanOptions } from '@popsvc/platform/telemetry';
import { handleError } from './handle-error.ts';
import { wasErrorSent } from './metrics.ts';
import { clientAddressKey } from './rate-limits.ts';
import { hasNoBody, readBody, streamBody } from './request-body.ts';
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
  return isLoopback(request) ? undefined : authenticate(request, 'viewer');
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

/**
 * Measures how long the synchronous part of `work`, up to its first `await`, keeps the event loop busy, and adds this time to
 * `context.busyMs`. Measures only requests whose body may be large.
 */
const measureBusyTime = <Done>(context: RequestContext, work: () => Done): Done => {
  if (!context.hasHeavyBody) return work();
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    context.busyMs += performance.now() - startedAt;
  }
};

/**
 * Returns whether the request had a wrong credential. An expired credential does not count, because its owner must always receive the
 * 401 that makes a client request a new token.
 */
const isWrongCredential = (error: unknown): boolean =>
  error instanceof ApiError &&
  !(error instanceof ExpiredCredential) &&
  error.headers['WWW-Authenticate']?.includes('error="invalid_token"') === true;

/** Codes of the errors for which a refused request counts against its caller. */
const refusalCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_EVENT',
  'INVALID_PARAM',
  'INVALID_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

/**
 * Counts an invalid request against its caller, and a request without a valid credential against its address. Returns the error to send:
 * `thrown` or, if the address exceeds its limit, RATE_LIMITED after a pause. Valid requests from the address are not affected, because
 * callers behind one proxy share its address.
 */
const countRefusedRequest = async (
  context: RequestContext,
  thrown: unknown,
  server: ServerContext,
): Promise<unknown> => {
  if (!(thrown instanceof ApiError)) return thrown;
  const { caller, hasHeavyBody, busyMs } = context;
  if (caller !== undefined) {
    if (refusalCodes.has(thrown.code))
      (hasHeavyBody ? server.refusedBodies : server.refusedRequests).count(caller, busyMs);
    return thrown;
  }
  if (thrown.code !== 'UNAUTHORIZED' || thrown instanceof ExpiredCredential) return thrown;
  const address = clientAddressKey(context.remoteAddress);
  server.refusedRequests.count(address, busyMs);
  return server.refusedRequests.throttleCaller(address, context.signal).then(
    () => thrown,
    (limited: unknown) => limited,
  );
};

const runRoute = async (
  route: Route,
  server: ServerContext,
  request: IncomingMessage,
  response: ServerResponse,
  params: Readonly<Record<string, string>>,
): Promise<void> => {
  const startedAt = performance.now();
  const context = new RequestContext(request, response, params, server);
  context.route = route;
  context.limits = server.limits;
  try {
    if (route.isConcurrencyLimited) server.concurrency.assertCapacity();
    try {
      context.principal = await authenticateRequest(route, request, server.authenticate);
    } catch (error) {
      if (isWrongCredential(error)) await server.wrongCredentials.count(context.remoteAddress, context.signal);
      throw error;
    }
    requireRole(route.access, context.principal);
    context.allowance = server.rates?.allowanceOf(context.principal);
    context.allowance?.spend('requests', 1);
    const { caller } = context;
    if (caller !== undefined) await server.refusedRequests.throttleCaller(caller, context.signal, request.headers);
    if (route.body === 'stream') context.bodyChunks = streamBody(context, server.limits);
    else if (route.isBodyOptional && hasNoBody(request)) context.body = {};
    else if (route.body) await readBody(context, route.body, route.maxBytes ?? defaultMaxBodyBytes, server);
    const work = () => measureBusyTime(context, () => route.handle(context));
    await sendResponse(context, await (route.isConcurrencyLimited ? server.concurrency.run(work) : work()));
  } catch (caught) {
    const thrown = await countRefusedRequest(context, caught, server);
    const failure = await handleError(context, thrown, route.renderError).catch(() => {
      response.destroy();
      return 'cut' as const;
    });
    server.metrics.failed(route.path, failure);
    if (wasErrorSent(failure)) route.onRejected?.(context, failure, thrown);
  } finally {
    server.bodyLedger.giveBack(context.heldBytes, context.caller);
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
