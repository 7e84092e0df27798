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

/** A proxy on this machine also has a loopback address, so a request with a forwarding header counts as remote. */
const isLoopback = ({ socket, headers }: IncomingMessage): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') &&
  forwardingHeaders.every((name) => headers[name] === undefined);

const authenticateRequest = (
  { access }: Route,
  request: IncomingMessage,
  authenticate: Authenticate,
): Promise<Principal> | undefined => {
  if (access === 'public') return undefined;
  if (access !== 'monitoring') return authenticate(request, access);
  return isLoopback(request) ? undefined : authenticate(request, 'viewer');
};

/** Contains the path of the route, not the requested path and query, which may have personal or secret data. */
const requestSpanOptions = (path: string, { method = '', headers, httpVersion }: IncomingMessage): SpanOptions => {
  const { traceparent } = headers;
  return {
    name: `${method} ${path}`,
    kind: 'server',
    parent: traceparent === undefined ? 'new' : String(traceparent),
    attributes: {
      'http.request.method': method,
      'http.route': path,
      'url.scheme': 'http',
      'network.protocol.version': httpVersion,
    },
  };
};

/** Probes are too frequent to trace. */
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

/** For a heavy body, adds the time of the synchronous part of `work`, up to its first `await`, to `busyMs`. */
const measureBusyTime = <Done>(context: RequestContext, work: () => Done): Done => {
  if (!context.hasHeavyBody) return work();
  const startedAt = performance.now();
  try {
    return work();
  } finally {
    context.busyMs += performance.now() - startedAt;
  }
};

/** An expired credential does not count: its owner must always receive the 401 that makes a client request a new token. */
const isWrongCredential = (error: unknown): boolean =>
  error instanceof ApiError &&
  !(error instanceof ExpiredCredential) &&
  error.headers['WWW-Authenticate']?.includes('error="invalid_token"') === true;

const refusalCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_EVENT',
  'INVALID_PARAM',
  'INVALID_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]);

/**
 * Counts an invalid request against its caller, and a request without a valid credential against its address. Valid requests have no limit
 * by address, because callers behind one proxy share an address.
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
