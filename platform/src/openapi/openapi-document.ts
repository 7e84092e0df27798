import { errorMessages, type ErrorCode } from '@popsvc/contracts/errors';
import type { Route } from '../http/route.ts';
import type { ServiceDescription } from './description.ts';
import { errorBody, errorDetail } from './error-replies.ts';
import { operationOf } from './operation.ts';
import { replyHeaders } from './reply-headers.ts';
import { SchemaCollector } from './schema-shelf.ts';
import { securitySchemes } from './security.ts';

/** An OpenAPI 3.1 document; what its parts hold is JSON. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: object;
  readonly servers: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

/** `/jobs/:id` as OpenAPI writes it. */
export const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const pathsOf = (routes: readonly Route[], description: ServiceDescription, shelf: SchemaCollector) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.isInternal) continue;
    const path = (paths[openApiPath(route.path)] ??= {});
    path[route.method] = operationOf(route, description, shelf);
  }
  return paths;
};

/** Everything that routes say of themselves, in one document: there is no other source, so it cannot be behind them. */
export const buildOpenApiDocument = (description: ServiceDescription, routes: readonly Route[]): OpenApiDocument => {
  const { title, description: about, version, groups, tokenUrl = '/oauth/token' } = description;
  const shelf = new SchemaCollector();
  const paths = pathsOf(routes, description, shelf);
  const accesses = routes.map(({ access }) => access);
  return {
    openapi: '3.1.0',
    info: { title, version, description: about, license },
    servers: [{ url: '/', description: 'This server.' }],
    tags: groups.map((group) => ({ name: group.name, description: group.description })),
    paths,
    components: {
      securitySchemes: securitySchemes(accesses, tokenUrl),
      headers: usedIn({ paths, replies: shelf.replies }, replyHeaders),
      responses: { ...shelf.replies, OtherError: otherError },
      schemas: {
        ...shelf.named,
        Error: {
          ...errorBody(Object.keys(errorMessages) as ErrorCode[]),
          description: 'Every JSON error has this shape.',
        },
        ErrorDetail: errorDetail,
      },
    },
  };
};

/** What no route answers itself: a method that is not allowed, headers that are too large. */
const otherError = {
  description: 'Any other refusal.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

/** Headers that some operation refers to. */
const usedIn = (paths: object, headers: Readonly<Record<string, object>>): Readonly<Record<string, object>> => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => text.includes(`#/components/headers/${name}"`)));
};
