import type { Route } from '@popsvc/platform/http';
import { vendorReads } from '@popsvc/platform/vendor-reads';
import { vendorWebhooks } from '@popsvc/platform/webhooks';
import type { ForwardRequest } from './query-api-proxy.ts';

/** The endpoints that return what a vendor has sent. Forwarded to query-api, since this service has no access to the read models. */
export const forwardedReadRoutes = (forward: ForwardRequest): readonly Route[] =>
  vendorReads.map((read) => ({ ...read, handle: (request) => forward(request.url, request) }));

const methods = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** The endpoints of a vendor's webhooks. Forwarded to query-api, which stores the subscriptions. */
export const forwardedWebhookRoutes = (forward: ForwardRequest): readonly Route[] =>
  Object.values(vendorWebhooks).map((declaration) => {
    const method = methods[declaration.method as keyof typeof methods];
    const options = { method, isRepeatable: method === 'GET' };
    return { ...declaration, handle: (request) => forward(request.url, request, options) };
  });
