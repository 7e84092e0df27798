import { ApiError } from '@popsvc/contracts/errors';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { ServerContext } from './server-context.ts';
import { RequestContext } from './request-context.ts';
import { handleError } from './handle-error.ts';
import type { Route } from '../endpoints/route.ts';
import { type MessageClasses, registerMessageClasses } from './message-classes.ts';
import { sendResponse } from './send-response.ts';
import { handleRequest } from './handle-request.ts';

export interface ExpressApp {
  readonly app: Express;
  readonly messageClasses: MessageClasses;
}

const unknownPath = 'There is no endpoint with this path. /docs lists all endpoints, and /openapi.json describes them.';

export const createExpressApp = (routes: readonly Route[], serverContext: ServerContext): ExpressApp => {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  for (const route of routes)
    app[route.method](route.path, (request, response) =>
      handleRequest(route, serverContext, request, response, request.params as Record<string, string>),
    );
  for (const [path, allowed] of allowedMethods(routes)) app.all(path, handleOtherMethod(allowed, serverContext));
  app.use(rejectWith(serverContext, () => new ApiError('NOT_FOUND', unknownPath)));
  app.use(handleExpressError(serverContext));
  return { app, messageClasses: registerMessageClasses(app) };
};

const allowedMethods = (routes: readonly Route[]): Map<string, string> => {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? new Set();
    methods.set(path, known.add(method.toUpperCase()));
    if (method === 'get') known.add('HEAD');
  }
  return new Map([...methods].map(([path, known]) => [path, [...known, 'OPTIONS'].join(', ')]));
};

const handleOtherMethod =
  (allowed: string, serverContext: ServerContext) => async (request: Request, response: Response) => {
    if (request.method === 'OPTIONS') {
      const context = new RequestContext(request, response, {}, serverContext);
      await sendResponse(context, {
        kind: 'raw',
        status: 204,
        contentType: '',
        content: '',
        headers: { Allow: allowed, ...serverContext.crossOrigin.preflightHeadersOf(request, allowed) },
      });
      return;
    }
    await rejectWith(
      serverContext,
      () => new ApiError('METHOD_NOT_ALLOWED', undefined, { headers: { Allow: allowed } }),
    )(request, response);
  };

const rejectWith =
  (serverContext: ServerContext, createError: () => unknown) => async (request: Request, response: Response) => {
    serverContext.metrics.failed(
      'none',
      await handleError(new RequestContext(request, response, {}, serverContext), createError()),
    );
    serverContext.metrics.done('none', request.method, response.statusCode, 0);
  };

/** Express recognizes error handlers by their four parameters. */
const handleExpressError =
  (serverContext: ServerContext): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const isPathError = error instanceof URIError;
    const thrown = isPathError ? new ApiError('INVALID_PARAM', 'The path contains invalid percent-encoding.') : error;
    return rejectWith(serverContext, () => thrown)(request, response);
  };
