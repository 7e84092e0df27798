import { createServer as nodeServer, type Server } from 'node:http';
import type { ServiceDescription } from '../openapi/index.ts';
import type { Log, Registry } from '../telemetry/index.ts';
import { admission } from './admission.ts';
import { ByteBudget } from './body/byte-budget.ts';
import { clientError } from './client-error.ts';
import { closeGently } from './close-gently.ts';
import type { Authenticate, ServerContext } from './door.ts';
import { registerDependencyMetrics } from './dependency-metrics.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { type ServerLimits, defaultServerLimits } from './limits.ts';
import { listen, type ListenOptions } from './listen.ts';
import { mount } from './mount.ts';
import { Pace } from './pace.ts';
import type { ReadinessCheck } from './probes.ts';
import type { RateLimits } from './rates/rate-limits.ts';
import type { Route } from './route.ts';
import { serverRoutes } from './server-routes.ts';

export interface ServerDependencies {
  readonly routes: readonly Route[];
  /** For `/openapi.json` and `/docs`; without it there are none. */
  readonly description?: ServiceDescription;
  readonly authenticate: Authenticate;
  readonly log: Log;
  /** What `/readyz` asks, by name. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly metrics: Registry;
  readonly limits?: Partial<ServerLimits>;
  readonly rates?: RateLimits;
}

export interface HttpServer {
  readonly node: Server;
  /** Resolves with the port in use. */
  listen(options: ListenOptions): Promise<number>;
  /** No longer ready, no new connections, lets what runs finish, then closes. */
  close(): Promise<void>;
}

export const createServer = (parts: ServerDependencies): HttpServer => {
  const { routes, description, authenticate, log, checks, metrics } = parts;
  const limits = { ...defaultServerLimits, ...parts.limits };
  let stops = false;
  const stopping = () => stops;
  const budget = new ByteBudget(limits.bodyBytesInFlight);
  const pace = new Pace(limits);
  const door: ServerContext = {
    authenticate,
    rates: parts.rates,
    budget,
    pace,
    limits,
    metrics: createHttpMetrics(metrics),
    log,
  };
  registerDependencyMetrics(metrics, checks);
  const { app, messages } = mount(serverRoutes({ routes, description, checks, stopping, metrics }), door);
  const node = nodeServer(
    {
      ...messages,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      // Bodies have limits of their own, by how they are read.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: 2_000,
      noDelay: true,
      // Refused by admission, in the shape of any other refusal.
      requireHostHeader: false,
    },
    admission(limits.requestsInFlight, door, stopping, app),
  );
  node.maxConnections = limits.connections;
  node.on('clientError', clientError);
  // Whoever reads the body invites it; to those who are refused before, its sender need not send it. Other expectations are not met.
  for (const expectation of ['checkContinue', 'checkExpectation'])
    node.on(expectation, (request, response) => node.emit('request', request, response));
  const close = closeGently(node, limits.drainTimeoutMs);
  return {
    node,
    listen: (options) => listen(node, options),
    close() {
      stops = true;
      return close();
    },
  };
};
