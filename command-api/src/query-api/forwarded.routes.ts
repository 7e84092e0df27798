import type { Route } from '@popsvc/http-kit/server';
import { vendorReads } from '@popsvc/http-kit/vendor-reads';
import { vendorWebhooks } from '@popsvc/http-kit/webhooks';
import type { ForwardRequest } from './query-api-proxy.ts';

/**
 * The endpoints for vendors that query-api answers: what a vendor has sent, since this service has no access to the read models, and
 * the webhooks, since query-api stores the subscriptions.
 */
export const forwardedRoutes = (forward: ForwardRequest): readonly Route[] =>
  [...vendorReads, ...Object.values(vendorWebhooks)].map((declaration) => ({
    ...declaration,
    handle: (request) => forward(declaration.method, request.url, request),
  }));
