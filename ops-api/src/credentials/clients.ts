import { ApiError } from '@popsvc/contracts/errors';
import { Instant } from '@popsvc/contracts/time';
import {
  type ClientWithSecret,
  createClient,
  maxTokenNetworks,
  rotateClientSecret,
} from '@popsvc/http-kit/auth/tokens';
import {
  integerParameter,
  jsonResponse,
  noParameters,
  parseBody,
  parseQuery,
  type Route,
} from '@popsvc/http-kit/server';
import { type ClientRecord, listClients, type Postgres, revokeClient } from '@popsvc/platform/postgres';
import { z } from 'zod';
import type { RegistryLog } from '../registry/registry-log.ts';
import { requireActiveNetworks } from '../registry/checks.ts';

const ClientPath = z.object({ id: z.string().describe('The client_id.') });

const NewClient = z.strictObject({
  networks: z
    .array(z.int().positive())
    .min(1)
    .max(maxTokenNetworks)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a network twice')
    .describe("In the order of the token's claim; the first is the default of a request."),
  name: z.string().trim().min(1).max(200).optional().describe('A name to recognize it by.'),
});

const RotateClientQuery = z.strictObject({
  overlap_seconds: integerParameter(0, 30 * 24 * 60 * 60)
    .default(7 * 24 * 60 * 60)
    .describe('How long the previous secret stays valid.'),
});

const networkIds = z
  .array(z.int().min(1))
  .describe("In the order of the token's claim; the first is the default of a request.");

const CreatedClient = z
  .object({
    client_id: z.string().describe('The id to request tokens with.'),
    client_secret: z.string().describe('Only this response contains it.'),
    network_ids: networkIds,
  })
  .meta({ id: 'MadeClient' });

const Client = z
  .object({
    client_id: z.string().describe('The id to request tokens with.'),
    name: z.string().nullable().describe('A name to recognize it by; null without one.'),
    network_ids: networkIds,
    created_at: Instant.describe('When the client was created.'),
    revoked_at: Instant.nullable().describe('When it was revoked; null if it was not.'),
  })
  .meta({ id: 'Client' });

const path = '/ops/v1/clients';

const toClient = ({ clientId, name, networkIds, createdAt, revokedAt }: ClientRecord) => ({
  client_id: clientId,
  name,
  network_ids: networkIds,
  created_at: createdAt,
  revoked_at: revokedAt,
});

const toCreatedClient = ({ client, clientSecret }: ClientWithSecret) => ({
  client_id: client.clientId,
  client_secret: clientSecret,
  network_ids: client.networkIds,
});

const createClientRoute = (postgres: Postgres, registryLog: RegistryLog): Route => ({
  method: 'post',
  path,
  summary: 'Creates a client for the token endpoint. Only this response contains its secret.',
  operationId: 'createClient',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'ofTheDemoNetwork', body: { networks: [1], name: 'a partner' } }],
  schemas: { query: noParameters, body: NewClient, responses: { 201: CreatedClient } },
  async handle({ body, log }) {
    const { networks, name } = parseBody(NewClient, body);
    requireActiveNetworks(await registryLog.readCurrent(), networks);
    const made = await createClient(postgres, { networkIds: networks, name });
    log.info({ clientId: made.client.clientId, networkIds: networks }, 'client created');
    return jsonResponse(201, toCreatedClient(made));
  },
});

const listClientsRoute = (postgres: Postgres): Route => ({
  method: 'get',
  path,
  summary: 'All clients, including revoked ones, without their secrets.',
  operationId: 'listClients',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(Client) } },
  async handle() {
    return jsonResponse(200, (await listClients(postgres)).map(toClient));
  },
});

const rotateClientRoute = (postgres: Postgres): Route => ({
  method: 'post',
  path: `${path}/:id/rotate`,
  summary: 'Issues a new secret for a client; the previous one stays valid for a while, by default seven days.',
  operationId: 'rotateClient',
  access: 'admin',
  examples: [{ name: 'withinADay', params: { id: 'your-client-id' }, query: { overlap_seconds: 86_400 } }],
  schemas: { params: ClientPath, query: RotateClientQuery, responses: { 200: CreatedClient } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query, log }) {
    const { overlap_seconds } = parseQuery(RotateClientQuery, query);
    const made = await rotateClientSecret(postgres, params['id'] ?? '', overlap_seconds);
    if (!made) throw new ApiError('NOT_FOUND', 'There is no client with this id, or it was revoked.');
    log.info({ clientId: made.client.clientId }, 'client secret rotated');
    return jsonResponse(200, toCreatedClient(made));
  },
});

const revokeClientRoute = (postgres: Postgres): Route => ({
  method: 'delete',
  path: `${path}/:id`,
  summary: 'Revokes a client permanently; its access tokens are rejected within 5 s.',
  operationId: 'revokeClient',
  access: 'admin',
  examples: [{ name: 'one', params: { id: 'your-client-id' } }],
  schemas: { params: ClientPath, query: noParameters, responses: { 200: Client } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, log }) {
    const client = await revokeClient(postgres, params['id'] ?? '');
    if (!client) throw new ApiError('NOT_FOUND', 'There is no client with this id.');
    log.info({ clientId: client.clientId }, 'client revoked');
    return jsonResponse(200, toClient(client));
  },
});

export const clientRoutes = (postgres: Postgres, registryLog: RegistryLog): readonly Route[] => [
  createClientRoute(postgres, registryLog),
  listClientsRoute(postgres),
  rotateClientRoute(postgres),
  revokeClientRoute(postgres),
];
