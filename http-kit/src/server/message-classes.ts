import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express, Request, Response } from 'express';

export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Express 5.3 replaces the prototype of every request and response. V8 then gives each object its own hidden class, which doubles the CPU
 * time of a request. Instances of these classes already have the prototype that Express sets. See
 * https://github.com/expressjs/express/issues/5998.
 */
export const registerMessageClasses = (app: Express): MessageClasses => {
  class ExpressIncomingMessage extends IncomingMessage {}
  class ExpressServerResponse<Message extends IncomingMessage> extends ServerResponse<Message> {}
  Object.setPrototypeOf(ExpressIncomingMessage.prototype, app.request);
  Object.setPrototypeOf(ExpressServerResponse.prototype, app.response);
  app.request = ExpressIncomingMessage.prototype as Request;
  app.response = ExpressServerResponse.prototype as unknown as Response;
  return { IncomingMessage: ExpressIncomingMessage, ServerResponse: ExpressServerResponse };
};
