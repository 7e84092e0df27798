import { z } from 'zod';
import { compressibleOnce, raw } from '../http/answer.ts';
import type { Route } from '../http/route.ts';
import type { ServiceDescription } from './description.ts';
import { docsRoutes } from './docs-routes.ts';
import { openApiDocument } from './openapi-document.ts';

const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) });

/** The routes, and those by which their description is read: as a document and as a page. */
export const describedRoutes = (description: ServiceDescription, routes: readonly Route[]): readonly Route[] => {
  let made: Buffer | undefined;
  const all: readonly Route[] = [
    ...routes,
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This description, as OpenAPI 3.1 has it.',
      operation: 'getOpenApi',
      access: 'public',
      examples: [{ name: 'ask' }],
      schemas: { replies: { 200: Document } },
      // Made when it is first asked for: most processes are never asked.
      handle: () =>
        compressibleOnce(
          raw(200, 'application/json', (made ??= Buffer.from(JSON.stringify(openApiDocument(description, all))))),
        ),
    },
    ...docsRoutes(description.title),
  ];
  return all;
};
