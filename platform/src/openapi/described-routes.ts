import { json } from '../http/answer.ts';
import type { Route } from '../http/route.ts';
import { z } from 'zod';
import type { ServiceDescription } from './description.ts';
import { openApiDocument, type OpenApiDocument } from './openapi-document.ts';

const Document = z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) });

/** The routes, and the one that describes them all, itself too. The document is made when it is first asked for. */
export const describedRoutes = (description: ServiceDescription, routes: readonly Route[]): readonly Route[] => {
  let made: OpenApiDocument | undefined;
  const all: readonly Route[] = [
    ...routes,
    {
      method: 'get',
      path: '/openapi.json',
      summary: 'This description, as OpenAPI 3.1 has it.',
      operation: 'getOpenApi',
      access: 'public',
      examples: [{ name: 'ask' }],
      schemas: { query: z.strictObject({}), replies: { 200: Document } },
      handle: () => json(200, (made ??= openApiDocument(description, all))),
    },
  ];
  return all;
};
