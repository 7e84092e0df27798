import { Code } from '@popsvc/contracts/registry';
import {
  DELIVERY_STATES,
  envelopedWebhookResponses,
  NewOperatorWebhook,
  NewVendorWebhook,
  NewWebhook,
  RedeliverWebhook,
  RotateWebhook,
  webhookResponses,
} from '@popsvc/contracts/webhooks';
import { z } from 'zod';
import type { Access } from '../auth/access.ts';
import { sequencePages } from '../endpoints/pages.ts';
import { idParameter, integerParameter, noParameters } from '../endpoints/parameters.ts';
import type { Route } from '../endpoints/route.ts';

type Declaration = Omit<Route, 'handle'>;
type WebhookAction = 'list' | 'create' | 'remove' | 'rotate' | 'deliveries' | 'redeliver' | 'test';

export type WebhookDeclarations = Readonly<Record<WebhookAction, Declaration>>;

const WebhookPath = z.object({ id: z.string().describe('Id of the subscription.') });

export const DeliveriesQuery = z.strictObject({
  state: z.enum(DELIVERY_STATES).optional().describe('Only deliveries in this state; `dead`: the dead letters.'),
  limit: integerParameter(1, 200).default(50).describe('Maximum number of deliveries of the page.'),
  before: sequencePages.cursor.optional().describe('Continue after a page: its next_before.'),
});

export const OperatorWebhooksQuery = z.strictObject({
  network: idParameter.optional().describe('Only subscriptions of this network.'),
  vendor: Code.optional().describe('Only subscriptions of this vendor.'),
});

interface WebhookApi {
  readonly path: string;
  readonly access: Access;
  /** For routes that only read. Default: `access`. */
  readonly readAccess?: Access;
  /** Part of the operation ids between the verb and `Webhook`. */
  readonly infix: string;
  readonly body: z.ZodType;
  readonly listQuery: z.ZodObject;
  readonly responses: Readonly<Record<keyof typeof webhookResponses, z.ZodType>>;
  readonly headers?: z.ZodObject;
  readonly exampleBody: Readonly<Record<string, unknown>>;
}

const exampleId = { id: 'your-webhook-id' };

const declare = ({
  path,
  access,
  readAccess = access,
  infix,
  body,
  listQuery,
  responses,
  headers,
  exampleBody,
}: WebhookApi): WebhookDeclarations => {
  const shared = { access, ...(access === 'reporting' && { errorCodes: ['FORBIDDEN_NETWORKS'] as const }) };
  const extraCodes = shared.errorCodes ?? [];
  const ofOne = { access, errorCodes: [...extraCodes, 'NOT_FOUND'] as const };
  const withHeaders = headers && { headers };
  return {
    create: {
      ...shared,
      method: 'post',
      path,
      summary: 'Creates a subscription. Only this response and that of a rotation contain its secret.',
      description:
        'Each notice is posted to the URL as JSON, with the headers of [Standard Webhooks](https://www.standardwebhooks.com): verify ' +
        'its signature with the secret. Respond with a 2xx status within 10 s; otherwise the notice is posted again: ten times in ' +
        'all, within 20 to 39 hours. A notice may arrive more than once, always with the same `webhook-id`, and notices may arrive in another ' +
        'order. The body is a `WebhookPayload`.',
      operationId: `create${infix}Webhook`,
      body: 'json',
      examples: [{ name: 'one', body: exampleBody }],
      schemas: { query: noParameters, body, responses: { 201: responses.created }, ...withHeaders },
      errorCodes: [...extraCodes, 'INVALID_PARAM', 'CONFLICT'],
    },
    list: {
      ...shared,
      access: readAccess,
      method: 'get',
      path,
      summary: 'Subscriptions to notices, without their secrets.',
      operationId: `list${infix}Webhooks`,
      examples: [{ name: 'all' }],
      schemas: { query: listQuery, responses: { 200: responses.list }, ...withHeaders },
      ...(access !== 'operator' && { errorCodes: [...extraCodes, 'INVALID_PARAM'] }),
    },
    deliveries: {
      ...ofOne,
      access: readAccess,
      method: 'get',
      path: `${path}/:id/deliveries`,
      summary: 'Deliveries of a subscription with their attempts, newest first. They are kept for 30 days.',
      operationId: `list${infix}WebhookDeliveries`,
      examples: [{ name: 'deadLetters', params: exampleId, query: { state: 'dead', limit: 10 } }],
      schemas: {
        params: WebhookPath,
        query: DeliveriesQuery,
        responses: { 200: responses.deliveries },
        ...withHeaders,
      },
      errorCodes: [...ofOne.errorCodes, 'INVALID_PARAM'],
    },
    redeliver: {
      ...ofOne,
      method: 'post',
      path: `${path}/:id/redeliver`,
      summary: 'Posts deliveries again: those of these ids, or all dead letters.',
      operationId: `redeliver${infix}Webhook`,
      body: 'json',
      isBodyOptional: true,
      examples: [{ name: 'allDeadLetters', params: exampleId, body: {} }],
      schemas: {
        params: WebhookPath,
        query: noParameters,
        body: RedeliverWebhook,
        responses: { 200: responses.redelivered },
        ...withHeaders,
      },
    },
    test: {
      ...ofOne,
      method: 'post',
      path: `${path}/:id/test`,
      summary: 'Posts a notice of type `test`, signed and retried like any other.',
      description:
        'The response is its delivery, which replaces that of the previous test. Its `state` is `pending` at first: list the deliveries ' +
        'a few seconds later to see what your server responded.',
      operationId: `test${infix}Webhook`,
      examples: [{ name: 'one', params: exampleId }],
      schemas: { params: WebhookPath, query: noParameters, responses: { 200: responses.tested }, ...withHeaders },
    },
    rotate: {
      ...ofOne,
      method: 'post',
      path: `${path}/:id/rotate`,
      summary: 'Replaces the secret. Requests are signed with the previous secret, too, by default for a day.',
      operationId: `rotate${infix}Webhook`,
      body: 'json',
      isBodyOptional: true,
      examples: [{ name: 'withAnHour', params: exampleId, body: { overlap_seconds: 3_600 } }],
      schemas: {
        params: WebhookPath,
        query: noParameters,
        body: RotateWebhook,
        responses: { 200: responses.rotated },
        ...withHeaders,
      },
    },
    remove: {
      ...ofOne,
      method: 'delete',
      path: `${path}/:id`,
      summary: 'Deletes a subscription with its deliveries.',
      operationId: `delete${infix}Webhook`,
      examples: [{ name: 'one', params: exampleId }],
      schemas: { params: WebhookPath, query: noParameters, responses: { 200: responses.deleted }, ...withHeaders },
    },
  };
};

export const partnerWebhooks = (headers: z.ZodObject): WebhookDeclarations =>
  declare({
    path: '/api/v1/webhooks',
    access: 'reporting',
    infix: '',
    body: NewWebhook,
    listQuery: noParameters,
    responses: envelopedWebhookResponses,
    headers,
    exampleBody: { url: 'https://example.com/popsvc', types: ['report_day.final', 'report_day.restated'] },
  });

export const vendorWebhooks: WebhookDeclarations = declare({
  path: '/popsvc/v1/webhooks',
  access: 'ingest',
  infix: 'Vendor',
  body: NewVendorWebhook,
  listQuery: noParameters,
  responses: envelopedWebhookResponses,
  exampleBody: { url: 'https://example.com/popsvc', types: ['job.finished'] },
});

export const operatorWebhooks: WebhookDeclarations = declare({
  path: '/ops/v1/webhooks',
  access: 'operator',
  readAccess: 'viewer',
  infix: 'Operator',
  body: NewOperatorWebhook,
  listQuery: OperatorWebhooksQuery,
  responses: webhookResponses,
  exampleBody: { network: 1, url: 'https://example.com/popsvc', types: ['outage.opened', 'outage.closed'] },
});
