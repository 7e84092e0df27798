import { ApiError } from '@popsvc/contracts/errors';
import { type ClientWithSecret, createClient, rotateClientSecret } from '@popsvc/platform/auth/tokens';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { type ClientRecord, listClients, type Postgres, revokeClient } from '@popsvc/platform/postgres';
import { z } from 'zod';
import { parseBody, checkedQuery, switches } from '../checked.ts';
import { noParameters, wholeParameter } from '../parameters.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { Client, ClientAddress, MadeClient } from './credentials.schemas.ts';
import { requireNetworks } from './registered.ts';

const Wanted = z.strictObject({
  networks: z
    .array(z.int().positive())
    .min(1)
    .max(1_000)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a network twice')
    .describe('In the order of the claim; the first is the default of a request.'),
  name: z.string().trim().min(1).max(200).optional(),
});

const Overlap = z.strictObject({
  overlap_seconds: wholeParameter(0, 30 * 24 * 60 * 60)
    .default(7 * 24 * 60 * 60)
    .describe('How long the former secret stays good.'),
});

const path = '/ops/v1/clients';

/** All that is ever told of a client once it was made. */
const told = ({ clientId, name, networkIds, createdAt, revokedAt }: ClientRecord) => ({
  client_id: clientId,
  name,
  network_ids: networkIds,
  created_at: createdAt,
  revoked_at: revokedAt,
});

const secretOf = ({ client, clientSecret }: ClientWithSecret) => ({
  client_id: client.clientId,
  client_secret: clientSecret,
  network_ids: client.networkIds,
});

const create = (postgres: Postgres, known: RegistryLog): Route => ({
  method: 'post',
  path,
  summary: 'Makes a client for the token endpoint; its secret is shown in this answer and never again.',
  operationId: 'createClient',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'ofTheDemoNetwork', body: { networks: [1], name: 'a partner' } }],
  schemas: { query: noParameters, body: Wanted, responses: { 201: MadeClient } },
  async handle({ body, query, log }) {
    switches(query, []);
    const { networks, name } = parseBody(Wanted, body);
    requireNetworks(await known.upToDate(), networks);
    const made = await createClient(postgres, { networkIds: networks, name });
    log.info({ client_id: made.client.clientId, network_ids: networks }, 'a client was made');
    return jsonResponse(201, secretOf(made));
  },
});

const list = (postgres: Postgres): Route => ({
  method: 'get',
  path,
  summary: 'All clients there ever were, without their secrets.',
  operationId: 'listClients',
  access: 'operator',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(Client) } },
  async handle({ query }) {
    switches(query, []);
    return jsonResponse(200, (await listClients(postgres)).map(told));
  },
});

const rotate = (postgres: Postgres): Route => ({
  method: 'post',
  path: `${path}/:id/rotate`,
  summary: 'Gives a client another secret; the one before stays good for a while, by default for seven days.',
  operationId: 'rotateClient',
  access: 'operator',
  examples: [{ name: 'withinADay', params: { id: 'your-client-id' }, query: { overlap_seconds: 86_400 } }],
  schemas: { params: ClientAddress, query: Overlap, responses: { 200: MadeClient } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    const { overlap_seconds } = checkedQuery(Overlap, query);
    const made = await rotateClientSecret(postgres, params['id'] ?? '', overlap_seconds);
    if (!made) throw new ApiError('NOT_FOUND', 'There is no client of this id, or it was revoked.');
    log.info({ client_id: made.client.clientId }, 'a client got another secret');
    return jsonResponse(200, secretOf(made));
  },
});

const revoke = (postgres: Postgres): Route => ({
  method: 'delete',
  path: `${path}/:id`,
  summary: 'Revokes a client for good, and with it its live tokens within 5 s.',
  operationId: 'revokeClient',
  access: 'operator',
  examples: [{ name: 'one', params: { id: 'your-client-id' } }],
  schemas: { params: ClientAddress, query: noParameters, responses: { 200: Client } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    switches(query, []);
    const client = await revokeClient(postgres, params['id'] ?? '');
    if (!client) throw new ApiError('NOT_FOUND', 'There is no client of this id.');
    log.info({ client_id: client.clientId }, 'a client was revoked');
    return jsonResponse(200, told(client));
  },
});

export const clientRoutes = (postgres: Postgres, known: RegistryLog): readonly Route[] => [
  create(postgres, known),
  list(postgres),
  rotate(postgres),
  revoke(postgres),
];
