import type { Authenticate } from '@popsvc/http-kit/auth';
import { createServer, type HttpServer, type ServerLimits, type Route } from '@popsvc/http-kit/server';
import type { ServiceDescription } from '@popsvc/http-kit/openapi';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';

export interface TestServer {
  readonly baseUrl: string;
  readonly port: number;
  readonly server: HttpServer;
  /** The logged lines, as JSON. */
  readonly logged: readonly string[];
}

export interface TestServerOptions {
  readonly checks?: Readonly<Record<string, () => Promise<unknown>>>;
  readonly limits?: Partial<ServerLimits>;
  readonly authenticate?: Authenticate;
  readonly description?: ServiceDescription;
  readonly allowedOrigins?: readonly string[];
}

const rejectAll: Authenticate = () => Promise.reject(new Error('no route of this test authenticates'));

/** Starts a server with the given routes on a free port. */
export const serve = async (routes: readonly Route[], options: TestServerOptions = {}): Promise<TestServer> => {
  const { checks = {}, limits = {}, authenticate = rejectAll, description, allowedOrigins } = options;
  const logged: string[] = [];
  const log = createLog('test', 'debug', { write: (line: string) => void logged.push(line) });
  const metrics = createMetrics('test');
  const server = createServer({
    routes,
    authenticate,
    log,
    checks,
    metrics,
    limits,
    allowedOrigins,
    ...(description && { description }),
  });
  const port = await server.listen({ port: 0, host: '127.0.0.1' });
  return { baseUrl: `http://127.0.0.1:${port}`, port, server, logged };
};

/** Declares a GET route. */
export const get = (path: string, handle: Route['handle'], more: Partial<Route> = {}): Route => ({
  method: 'get',
  path,
  summary: path,
  access: 'public',
  handle,
  ...more,
});

export const post = (path: string, handle: Route['handle'], more: Partial<Route> = {}): Route =>
  get(path, handle, { method: 'post', body: 'json', ...more });
