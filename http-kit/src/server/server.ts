import { createServer as nodeServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '@popsvc/contracts/errors';
import { ConfigError } from '@popsvc/platform/config';
import { httpStatusOf } from '../endpoints/errors.ts';
import type { Route } from '../endpoints/route.ts';
import { addDescriptionRoutes, type ServiceDescription } from '../openapi/index.ts';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import type { ReadinessCheck } from '@popsvc/platform/runtime';
import { isProbe, type ProbeDependencies, probes, registerDependencyMetrics } from './probes.ts';
import { createExpressApp } from './express-app.ts';
import { handleParseError, handleError } from './handle-error.ts';
import { defaultServerLimits, type ServerLimits, ConcurrencyLimiter } from './limits.ts';
import { createCrossOrigin } from './cross-origin.ts';
import { CallerLedger, createCallerSlots } from './caller-ledger.ts';
import { HeavyBodies } from './heavy-bodies.ts';
import { createHttpMetrics } from './metrics.ts';
import type { RateLimits } from './rate-limits.ts';
import { RequestContext } from './request-context.ts';
import type { Authenticate } from '../auth/access.ts';
import type { ServerContext } from './server-context.ts';
import { createGuessLimiter, type GuessLimiter, RefusedRequests } from './refused-requests.ts';

export interface ListenOptions {
  /** 0 for any free port. */
  readonly port: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
  /** Environment variable that sets the port, for error messages. */
  readonly variable?: string;
}

const listen = (server: Server, { port, host, variable = 'its variable' }: ListenOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(
          new ConfigError(`Port ${port} is taken by another program. Stop it, or set ${variable} to another port.`),
        );
      else if (error.code === 'EACCES')
        reject(new ConfigError(`This user may not listen on port ${port}. Set ${variable} to another port.`));
      else reject(error);
    });
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });

/** `server.close` leaves connections open that never sent a request, so the returned function closes them itself. */
const prepareGracefulShutdown = (server: Server, drainTimeoutMs: number): (() => Promise<void>) => {
  const requests = new Map<Socket, number>();
  let stopping = false;
  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1;
      if (requests.has(socket)) requests.set(socket, left);
      if (stopping && left === 0) socket.destroySoon();
    });
  });
  return () =>
    new Promise((resolve) => {
      stopping = true;
      if (!server.listening) {
        resolve();
        return;
      }
      const forceClose = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
      server.close(() => {
        clearTimeout(forceClose);
        resolve();
      });
      for (const [socket, running] of requests) if (running === 0) socket.destroySoon();
    });
};

/** Refuses requests above `maxInFlight`, except probes. */
const limitRequests = (
  maxInFlight: number,
  serverContext: ServerContext,
  stopping: () => boolean,
  app: RequestListener,
): RequestListener => {
  let inFlight = 0;
  return (request, response) => {
    if (stopping()) response.shouldKeepAlive = false;
    const refuse = (error: ApiError): void =>
      void handleError(new RequestContext(request, response, {}, serverContext), error);
    const shed = (route: string, error: ApiError): void => {
      refuse(error);
      serverContext.metrics.done(route, request.method ?? '', httpStatusOf[error.code], 0);
      serverContext.metrics.failed(route, error.code);
    };
    const hosts = countHostHeaders(request);
    if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
      const message = hosts > 1 ? 'The request has several Host headers.' : 'The Host header is required.';
      refuse(new ApiError('INVALID_REQUEST', message));
      return;
    }
    if (!isProbe(request.url)) {
      const refusal = serverContext.refusedRequests.refuseEarly(request.headers);
      if (refusal) {
        shed('refused', refusal);
        return;
      }
      if (inFlight >= maxInFlight) {
        shed('shed', new ApiError('UNAVAILABLE', 'The service is busy. Retry later.'));
        return;
      }
    }
    inFlight++;
    serverContext.metrics.inFlight.inc();
    response.once('close', () => {
      inFlight--;
      serverContext.metrics.inFlight.dec();
    });
    app(request, response);
  };
};

/** `request.headers` contains only the first Host header, and a proxy may have used another. */
const countHostHeaders = ({ rawHeaders }: IncomingMessage): number => {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
};

export interface ServerRoutesDependencies extends ProbeDependencies {
  readonly routes: readonly Route[];
  readonly description?: ServiceDescription | undefined;
}

export const serverRoutes = ({
  routes,
  description,
  ...probeDependencies
}: ServerRoutesDependencies): readonly Route[] => {
  const all = [...routes, ...probes(probeDependencies)];
  return description ? addDescriptionRoutes(description, all) : all;
};

/** Generous, because all callers behind a proxy share its address. */
const wrongCredentialRate = { perSecond: 20, burst: 600 };

export interface ServerDependencies {
  readonly routes: readonly Route[];
  /** Content of `/openapi.json` and `/docs`. If undefined, the server has neither. */
  readonly description?: ServiceDescription;
  readonly authenticate: Authenticate;
  readonly log: Log;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics: Registry;
  readonly limits?: Partial<ServerLimits>;
  readonly rates?: RateLimits;
  /** Limits wrong credentials per network address. The default suits many callers behind one proxy. */
  readonly wrongCredentials?: GuessLimiter;
  /** Origins whose pages may read responses. Default: none. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

export interface HttpServer {
  readonly node: Server;
  /** Resolves with the port. */
  listen(options: ListenOptions): Promise<number>;
  /** Makes `/readyz` fail, waits at most `drainTimeoutMs` for running requests, and closes all connections. */
  close(): Promise<void>;
}

export const createServer = (dependencies: ServerDependencies): HttpServer => {
  const { routes, description, authenticate, log, checks, metrics } = dependencies;
  const limits = { ...defaultServerLimits, ...dependencies.limits };
  let isStopping = false;
  const stopping = () => isStopping;
  // The slow bodies of one caller leave half of the bytes to the others.
  const bodyLedger = new CallerLedger({
    perCaller: limits.bodyBytesInFlight / 2,
    total: limits.bodyBytesInFlight,
    messages: {
      perCaller: 'Your requests under way are too large together. Retry later.',
      total: 'The service is busy. Retry later.',
    },
  });
  const concurrency = new ConcurrencyLimiter(limits);
  const refusedBodies = new RefusedRequests(
    'Too many of your large requests were refused. Correct them and retry later.',
  );
  const serverContext: ServerContext = {
    authenticate,
    wrongCredentials:
      dependencies.wrongCredentials ??
      createGuessLimiter({
        rate: wrongCredentialRate,
        message: 'Too many wrong credentials from this address. A valid credential is accepted at any time.',
      }),
    rates: dependencies.rates,
    bodyLedger,
    acquireBodySlot: createCallerSlots({ perCaller: limits.bodiesPerCaller, total: Infinity }, 'request bodies'),
    heavyBodies: new HeavyBodies(refusedBodies),
    refusedBodies,
    refusedRequests: new RefusedRequests('Too many of your requests were invalid. Correct them and retry later.'),
    concurrency,
    limits,
    crossOrigin: createCrossOrigin(dependencies.allowedOrigins ?? []),
    metrics: createHttpMetrics(metrics),
    log,
  };
  registerDependencyMetrics(metrics, checks);
  const { app, messageClasses } = createExpressApp(
    serverRoutes({ routes, description, checks, stopping, metrics }),
    serverContext,
  );
  const node = nodeServer(
    {
      ...messageClasses,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // Buffered and streamed bodies have time limits of their own.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
      // `limitRequests` rejects requests without a Host header in the error format of the service.
      requireHostHeader: false,
    },
    limitRequests(limits.requestsInFlight, serverContext, stopping, app),
  );
  node.maxConnections = limits.connections;
  node.on('clientError', handleParseError);
  // Replaces Node's own answers to `Expect`: the service sends `100 Continue` only when it is about to read the body.
  for (const expectation of ['checkContinue', 'checkExpectation'])
    node.on(expectation, (request, response) => node.emit('request', request, response));
  const close = prepareGracefulShutdown(node, limits.drainTimeoutMs);
  return {
    node,
    listen: (options) => listen(node, options),
    close() {
      isStopping = true;
      return close();
    },
  };
};
