import { type ErrorCode, errorMessages } from '@popsvc/contracts/errors';
import { replyHeaders } from '../endpoints/response-headers.ts';
import type { Route } from '../endpoints/route.ts';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { errorBody, errorDetail, errorExample } from './error-responses.ts';
import { operationOf, type ServiceDescription } from './operation.ts';
import { SchemaCollector } from './schemas.ts';
import { securitySchemes } from './security.ts';

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: object;
  readonly servers: readonly object[];
  readonly tags: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' };

const openApiPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const pathsOf = (routes: readonly Route[], description: ServiceDescription, collector: SchemaCollector) => {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    if (route.isInternal) continue;
    const path = (paths[openApiPath(route.path)] ??= {});
    path[route.method] = operationOf(route, description, collector);
  }
  return paths;
};

export const buildOpenApiDocument = (description: ServiceDescription, routes: readonly Route[]): OpenApiDocument => {
  const { title, description: about, groups, tokenUrl = '/oauth/token' } = description;
  const collector = new SchemaCollector();
  const paths = pathsOf(routes, description, collector);
  const accesses = routes.map(({ access }) => access);
  return {
    openapi: '3.1.0',
    info: { title, version: popsvcVersion, description: about, license },
    servers: [{ url: '/', description: 'This server.' }],
    tags: groups.map((group) => ({ name: group.name, description: group.description })),
    paths,
    components: {
      securitySchemes: securitySchemes(accesses, tokenUrl),
      headers: keepReferenced({ paths, replies: collector.replies }, replyHeaders),
      responses: { ...collector.replies, OtherError: otherError },
      schemas: {
        ...collector.named,
        Error: {
          ...errorBody(Object.keys(errorMessages) as ErrorCode[]),
          description: 'Every JSON error has this shape.',
        },
        ErrorDetail: errorDetail,
      },
    },
  };
};

/** For errors outside any route, such as a method that is not allowed. */
const otherError = {
  description: 'Any other refusal.',
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/Error' },
      example: errorExample('METHOD_NOT_ALLOWED'),
    },
  },
};

const keepReferenced = (paths: object, headers: Readonly<Record<string, object>>): Readonly<Record<string, object>> => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => text.includes(`#/components/headers/${name}"`)));
};
