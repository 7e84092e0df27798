import { z } from 'zod';
import { cacheCompressed, rawResponse } from '../http/answer.ts';
import type { Route } from '../http/route.ts';
import type { ServiceDescription } from './description.ts';
import { docsRoutes } from './docs-routes.ts';
import { buildOpenApiDocument } from './openapi-document.ts';

const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) });

/** The routes, and those by which their description is read: as a document and as a page. */
export const addDescriptionRoutes = (description: ServiceDescription, routes: readonly Route[]): readonly Route[] => {
  let made: Buffer | undefined;
  const all: readonly Route[] = [
    ...routes,
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This description, as OpenAPI 3.1 has it.',
      operationId: 'getOpenApi',
      access: 'public',
      examples: [{ name: 'ask' }],
      schemas: { responses: { 200: Document } },
      // Made when it is first asked for: most processes are never asked.
      handle: () =>
        cacheCompressed(
          rawResponse(
            200,
            'application/json',
            (made ??= Buffer.from(JSON.stringify(buildOpenApiDocument(description, all)))),
          ),
        ),
    },
    ...docsRoutes(description.title),
  ];
  return all;
};
