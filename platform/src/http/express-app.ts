import { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import type { ServerContext } from './server-context.ts';
import { RequestContext } from './request-context.ts';
import { fail } from './handle-error.ts';
import type { Route } from '../endpoints/route.ts';
import { send } from './send-response.ts';
import { serve } from './handle-request.ts';

/** The Express application, and the message classes that the HTTP server must instantiate. */
export interface Mounted {
  readonly app: Express;
  readonly messages: {
    readonly IncomingMessage: typeof IncomingMessage;
    readonly ServerResponse: typeof ServerResponse;
  };
}

/** Mounts routes on Express. No other file uses Express at run time. */
export const mount = (routes: readonly Route[], door: ServerContext): Mounted => {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  for (const route of routes)
    app[route.method](route.path, (request, response) =>
      serve(route, door, request, response, request.params as Record<string, string>),
    );
  for (const [path, allowed] of allowedMethods(routes)) app.all(path, otherMethod(allowed, door));
  app.use(refuse(door, () => new ApiError('NOT_FOUND')));
  app.use(unroutable(door));
  return { app, messages: messagesOf(app) };
};

/**
 * Creates message classes whose prototypes are Express's own. Express replaces the prototype of every request and response
 * (`Object.setPrototypeOf` in `app.handle`); V8 then gives each object its own hidden class, which makes property access slow and
 * keeps the objects alive until a major garbage collection. Messages created with the expected prototype are not changed by that
 * call.
 */
const messagesOf = (app: Express): Mounted['messages'] => {
  class Asking extends IncomingMessage {}
  class Answering<Asked extends IncomingMessage> extends ServerResponse<Asked> {}
  Object.setPrototypeOf(Asking.prototype, app.request);
  Object.setPrototypeOf(Answering.prototype, app.response);
  app.request = Asking.prototype as Request;
  app.response = Answering.prototype as unknown as Response;
  return { IncomingMessage: Asking, ServerResponse: Answering };
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

/** Answers OPTIONS with the allowed methods but without CORS headers: pages of other origins may not use the API. */
const otherMethod = (allowed: string, door: ServerContext) => async (request: Request, response: Response) => {
  if (request.method === 'OPTIONS') {
    const exchange = new RequestContext(request, response, {}, door.log);
    await send(exchange, { kind: 'raw', status: 204, contentType: '', content: '', headers: { Allow: allowed } });
    return;
  }
  await refuse(door, () => new ApiError('METHOD_NOT_ALLOWED', undefined, { headers: { Allow: allowed } }))(
    request,
    response,
  );
};

const refuse = (door: ServerContext, refusal: () => ApiError) => async (request: Request, response: Response) => {
  door.metrics.failed('none', await fail(new RequestContext(request, response, {}, door.log), refusal()));
  door.metrics.done('none', request.method, response.statusCode, 0);
};

/**
 * Handles errors of Express itself, such as a path with invalid percent-encoding. Express recognises error handlers by their four
 * parameters.
 */
const unroutable =
  (door: ServerContext): ErrorRequestHandler =>
  (error: unknown, request, response, _next) => {
    const theirs = error instanceof URIError;
    const thrown = theirs ? new ApiError('INVALID_PARAM', 'The path is not properly encoded.') : error;
    return fail(new RequestContext(request, response, {}, door.log), thrown).then(() => undefined);
  };
