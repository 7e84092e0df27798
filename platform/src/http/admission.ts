import type { RequestListener } from 'node:http';
import { ApiError } from '@popsvc/contracts/errors';
import type { ServerContext } from './door.ts';
import { RequestContext } from './exchange.ts';
import { fail } from './fail.ts';

/** Lets so many requests in at a time; the rest are told at once to come back. Probes always pass. */
export const admission = (
  most: number,
  door: ServerContext,
  stopping: () => boolean,
  app: RequestListener,
): RequestListener => {
  let inside = 0;
  return (request, response) => {
    if (stopping()) response.shouldKeepAlive = false;
    if (request.headers.host === undefined && request.httpVersion === '1.1') {
      void fail(
        new RequestContext(request, response, {}, door.log),
        new ApiError('INVALID_REQUEST', 'A Host header is needed.'),
      );
      return;
    }
    if (inside >= most && !isProbe(request.url)) {
      void fail(
        new RequestContext(request, response, {}, door.log),
        new ApiError('UNAVAILABLE', 'The service is busy.'),
      );
      door.metrics.done('shed', request.method ?? '', 503, 0);
      door.metrics.failed('shed', 'UNAVAILABLE');
      return;
    }
    inside++;
    door.metrics.inFlight.inc();
    response.once('close', () => {
      inside--;
      door.metrics.inFlight.dec();
    });
    app(request, response);
  };
};

const isProbe = (url: string | undefined) => url === '/healthz' || url === '/readyz' || url === '/metrics';
