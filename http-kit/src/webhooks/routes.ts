import { ApiError } from '@popsvc/contracts/errors';
import {
  maxSubscriptions,
  RedeliverWebhook,
  RotateWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookPayload,
} from '@popsvc/contracts/webhooks';
import { invalidRequestError, parseBody } from '../endpoints/errors.ts';
import { sequencePages } from '../endpoints/pages.ts';
import { noParameters, parseQuery } from '../endpoints/parameters.ts';
import { jsonResponse } from '../endpoints/response.ts';
import type { Route, RouteRequest } from '../endpoints/route.ts';
import {
  deleteWebhook,
  type DeliveryRecord,
  insertTestDelivery,
  insertWebhook,
  isPostgresUnavailable,
  listDeliveries,
  listWebhooks,
  type NewWebhookRecord,
  type Postgres,
  requestRedelivery,
  rotateWebhookSecret,
  type SecretSealer,
  type WebhookFilter,
  type WebhookRecord,
} from '@popsvc/platform/postgres';
import { DeliveriesQuery, type WebhookDeclarations } from './declarations.ts';
import { type AddressRange, createWebhookSecret, findUrlProblem } from '@popsvc/platform/webhook-requests';

type RequestedWebhook = Omit<NewWebhookRecord, 'secret'>;

interface WebhookRoutesDependencies {
  readonly declarations: WebhookDeclarations;
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  /** Ranges of internal IP addresses that URLs of subscriptions may name. */
  readonly opened: readonly AddressRange[];
  readonly selectWebhooks: (request: RouteRequest) => WebhookFilter | Promise<WebhookFilter>;
  /** If undefined, the list accepts no parameters. */
  readonly selectListed?: (request: RouteRequest) => WebhookFilter;
  readonly readRequested: (request: RouteRequest) => Promise<RequestedWebhook>;
  /** Whether responses have the form `{ status, message, data }`. */
  readonly isEnveloped: boolean;
}

const toWebhook = ({ id, networkId, clientId, createdAt, types, ...record }: WebhookRecord): Webhook => ({
  id,
  network_id: networkId,
  client_id: clientId,
  types: [...types],
  created_at: createdAt.toISOString(),
  ...record,
});

const toDelivery = (record: DeliveryRecord): WebhookDelivery => ({
  id: record.id,
  webhook_id: record.noticeId,
  state: record.state,
  created_at: record.createdAt.toISOString(),
  next_attempt_at: record.nextAttemptAt?.toISOString() ?? null,
  attempts: [...record.attempts],
  payload: JSON.parse(record.payload) as WebhookPayload,
});

const uuidFormat = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const notFound = () => new ApiError('NOT_FOUND', 'There is no subscription with this id.');

/** Throws NOT_FOUND for an id that is not a UUID, because a query with it would fail. */
const readId = ({ params }: RouteRequest): string => {
  const id = params['id'] ?? '';
  if (!uuidFormat.test(id)) throw notFound();
  return id;
};

const requireFound = <Found>(found: Found | undefined): Found => {
  if (found === undefined) throw notFound();
  return found;
};

const withUnavailableError = (route: Route): Route => ({
  ...route,
  async handle(request) {
    try {
      return await route.handle(request);
    } catch (cause) {
      if (!isPostgresUnavailable(cause)) throw cause;
      throw new ApiError('UNAVAILABLE', 'The subscriptions cannot be read or changed now; try again.', { cause });
    }
  },
});

export const webhookRoutes = ({
  declarations,
  postgres,
  secretSealer,
  opened,
  selectWebhooks,
  selectListed,
  readRequested,
  isEnveloped,
}: WebhookRoutesDependencies): readonly Route[] => {
  const respond = (status: number, message: string, data: object) =>
    jsonResponse(status, isEnveloped ? { status: true, message, data } : data);
  const routes: readonly Route[] = [
    {
      ...declarations.create,
      async handle(request) {
        parseQuery(noParameters, request.query);
        const requested = await readRequested(request);
        const problem = findUrlProblem(requested.url, opened);
        if (problem !== undefined) throw invalidRequestError([{ path: 'url', message: problem }]);
        const secret = createWebhookSecret();
        const created = await insertWebhook(postgres, secretSealer, { ...requested, secret }, maxSubscriptions);
        if (created === 'exists')
          throw new ApiError('CONFLICT', 'There is a subscription with this URL; delete it, or rotate its secret.');
        if (created === 'too-many')
          throw new ApiError('CONFLICT', `There are ${maxSubscriptions} subscriptions already; delete one.`);
        request.log.info({ webhook: created.id, network: created.networkId }, 'webhook created');
        return respond(201, 'webhook created', { ...toWebhook(created), secret });
      },
    },
    {
      ...declarations.list,
      async handle(request) {
        if (!selectListed) parseQuery(noParameters, request.query);
        const filter = { ...(await selectWebhooks(request)), ...selectListed?.(request) };
        const webhooks = (await listWebhooks(postgres, filter)).map(toWebhook);
        return respond(200, 'webhooks retrieved', { webhooks });
      },
    },
    {
      ...declarations.deliveries,
      async handle(request) {
        const { limit, before, state } = parseQuery(DeliveriesQuery, request.query);
        const id = readId(request);
        const filter = await selectWebhooks(request);
        const page = { state, before: before?.sequence, limit: limit + 1 };
        const found = requireFound(await listDeliveries(postgres, id, filter, page));
        const { rows, next } = sequencePages.cutPage(found, limit);
        return respond(200, 'deliveries retrieved', { deliveries: rows.map(toDelivery), next_before: next });
      },
    },
    {
      ...declarations.redeliver,
      async handle(request) {
        parseQuery(noParameters, request.query);
        const { deliveries } = parseBody(RedeliverWebhook, request.body);
        const id = readId(request);
        const filter = await selectWebhooks(request);
        const queued = requireFound(await requestRedelivery(postgres, id, filter, deliveries));
        request.log.info({ webhook: id, queued }, 'redelivery requested');
        return respond(200, 'redelivery requested', { queued });
      },
    },
    {
      ...declarations.test,
      async handle(request) {
        parseQuery(noParameters, request.query);
        const id = readId(request);
        const filter = await selectWebhooks(request);
        const added = requireFound(await insertTestDelivery(postgres, id, filter, new Date().toISOString()));
        request.log.info({ webhook: id }, 'test notice requested');
        return respond(200, 'test notice requested', toDelivery(added));
      },
    },
    {
      ...declarations.rotate,
      async handle(request) {
        parseQuery(noParameters, request.query);
        const { overlap_seconds: overlapSeconds } = parseBody(RotateWebhook, request.body);
        const [id, secret] = [readId(request), createWebhookSecret()];
        const filter = await selectWebhooks(request);
        const rotated = requireFound(
          await rotateWebhookSecret(postgres, secretSealer, id, filter, { secret, overlapSeconds }),
        );
        request.log.info({ webhook: id }, 'webhook secret rotated');
        return respond(200, 'webhook secret rotated', { ...toWebhook(rotated), secret });
      },
    },
    {
      ...declarations.remove,
      async handle(request) {
        parseQuery(noParameters, request.query);
        const id = readId(request);
        if (!(await deleteWebhook(postgres, id, await selectWebhooks(request)))) throw notFound();
        request.log.info({ webhook: id }, 'webhook deleted');
        return respond(200, 'webhook deleted', { id });
      },
    },
  ];
  return routes.map(withUnavailableError);
};
