import { allRoutes, commandApiDescription } from '@popsvc/command-api/service';
import { type Route, serverRoutes } from '@popsvc/platform/http';
import { buildOpenApiDocument, type OpenApiDocument, type ServiceDescription } from '@popsvc/platform/openapi';
import { opsDescription, opsRoutes } from '@popsvc/ops-api/server';
import { allRoutes as allQueryApiRoutes, queryApiDescription } from '@popsvc/query-api/service';

/** Stands where a route has its parts: whatever is asked of it, it gives itself. A route is described without being asked. */
const nothing: never = new Proxy(() => undefined, {
  get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing),
  has: () => true,
  apply: () => nothing,
}) as never;

export interface DescribedServer {
  readonly name: string;
  readonly description: ServiceDescription;
  /** Without those that every server has. */
  readonly own: readonly Route[];
  readonly routes: readonly Route[];
  readonly document: OpenApiDocument;
}

const described = (name: string, description: ServiceDescription, own: readonly Route[]): DescribedServer => {
  const all = serverRoutes({ routes: own, description, checks: {}, stopping: () => false, metrics: nothing });
  return { name, description, own, routes: all, document: buildOpenApiDocument(description, all) };
};

/** Every server that describes itself, with all that it may have: the built-in identity provider, files kept by us. */
export const describedServers: readonly DescribedServer[] = [
  described('query-api', queryApiDescription, allQueryApiRoutes(nothing)),
  described('command-api', commandApiDescription, allRoutes(nothing)),
  described('ops', opsDescription, opsRoutes(nothing)),
];
