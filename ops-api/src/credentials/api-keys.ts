import { ApiError } from '@popsvc/contracts/errors';
import { Instant, InstantText, instantMs } from '@popsvc/contracts/time';
import { createApiKey } from '@popsvc/http-kit/auth';
import { jsonResponse, noParameters, parseBody, type Route } from '@popsvc/http-kit/server';
import { type ApiKeyRecord, listApiKeys, setApiKeyRates, type Postgres, revokeApiKey } from '@popsvc/platform/postgres';
import { z } from 'zod';
import type { RegistryLog } from '../registry/registry-log.ts';
import { requireActiveVendor } from '../registry/checks.ts';
import { networkIdField, vendorField } from '../requests/parameters.ts';

const ApiKeyPath = z.object({ id: z.string().describe('The id of the API key.') });

const RequestsPerSecond = z.int().min(1).max(1_000_000);
const EventsPerSecond = z.int().min(1).max(100_000_000);

const NewApiKey = z.strictObject({
  network: z.int().positive().describe('Network that the key pushes to.'),
  vendor: z.string().min(1).max(32).describe('Code of the vendor that uses the key.'),
  expires: InstantText.refine((text) => (instantMs(text) ?? Infinity) > Date.now(), 'must be in the future')
    .optional()
    .describe('When the key stops being valid; absent: never.'),
  name: z.string().trim().min(1).max(200).optional().describe('A name to recognize it by.'),
  requests_per_second: RequestsPerSecond.optional().describe('Rate limit; absent: the default rate.'),
  events_per_second: EventsPerSecond.optional().describe('Rate limit; absent: the default rate.'),
});

const ApiKeyRates = z.strictObject({
  requests_per_second: RequestsPerSecond.nullish().describe('Null: the default rate; absent: unchanged.'),
  events_per_second: EventsPerSecond.nullish().describe('Null: the default rate; absent: unchanged.'),
});

const CreatedApiKey = z
  .object({
    id: z.string().describe('Id of the key, which is no secret.'),
    api_key: z.string().describe('Only this response contains it.'),
    network_id: networkIdField,
    vendor: vendorField,
  })
  .meta({ id: 'MadeApiKey' });

const ApiKey = z
  .object({
    id: z.string().describe('Id of the key, which is no secret.'),
    network_id: networkIdField,
    vendor: vendorField,
    name: z.string().nullable().describe('A name to recognize it by; null without one.'),
    prefix: z.string().describe('The first characters of the key, to recognize it.'),
    requests_per_second: z.int().min(1).describe('Rate limit in force: its own or the default.'),
    events_per_second: z.int().min(1).describe('Rate limit in force: its own or the default.'),
    created_at: Instant.describe('When the key was created.'),
    expires_at: Instant.nullable().describe('When it stops being valid; null: never.'),
    revoked_at: Instant.nullable().describe('When it was revoked; null if it was not.'),
  })
  .meta({ id: 'ApiKey' });

const path = '/ops/v1/api-keys';

const toApiKey = (record: ApiKeyRecord) => ({
  id: record.id,
  network_id: record.networkId,
  vendor: record.vendor,
  name: record.name,
  prefix: record.prefix,
  requests_per_second: record.requestsPerSecond,
  events_per_second: record.eventsPerSecond,
  created_at: record.createdAt,
  expires_at: record.expiresAt,
  revoked_at: record.revokedAt,
});

const createApiKeyRoute = (postgres: Postgres, registryLog: RegistryLog): Route => ({
  method: 'post',
  path,
  summary: 'Creates an API key. Only this response contains the key.',
  operationId: 'createApiKey',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'forTheDemoVendor', body: { network: 1, vendor: 'demo', name: 'a second key' } }],
  schemas: { query: noParameters, body: NewApiKey, responses: { 201: CreatedApiKey } },
  async handle({ body, log }) {
    const { network, vendor, expires, name, ...rates } = parseBody(NewApiKey, body);
    requireActiveVendor(await registryLog.readCurrent(), network, vendor);
    const { apiKey, record } = await createApiKey(postgres, {
      networkId: network,
      vendor,
      expiresAt: expires === undefined ? undefined : new Date(instantMs(expires)!),
      name,
      requestsPerSecond: rates.requests_per_second,
      eventsPerSecond: rates.events_per_second,
    });
    log.info({ keyId: record.id, networkId: network, vendor }, 'API key created');
    return jsonResponse(201, { id: record.id, api_key: apiKey, network_id: network, vendor });
  },
});

const listApiKeysRoute = (postgres: Postgres): Route => ({
  method: 'get',
  path,
  summary: 'All API keys, including revoked and expired ones, without the keys themselves.',
  operationId: 'listApiKeys',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(ApiKey) } },
  async handle() {
    return jsonResponse(200, (await listApiKeys(postgres)).map(toApiKey));
  },
});

const setRatesRoute = (postgres: Postgres): Route => ({
  method: 'put',
  path: `${path}/:id/rates`,
  summary: 'Sets the rate limits of an API key; effective within 5 s.',
  operationId: 'setApiKeyRates',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'slower', params: { id: '1' }, body: { requests_per_second: 500, events_per_second: null } }],
  schemas: { params: ApiKeyPath, query: noParameters, body: ApiKeyRates, responses: { 200: ApiKey } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, body, log }) {
    const wanted = parseBody(ApiKeyRates, body);
    const rates = { requestsPerSecond: wanted.requests_per_second, eventsPerSecond: wanted.events_per_second };
    const record = await setApiKeyRates(postgres, params['id'] ?? '', rates);
    if (!record) throw new ApiError('NOT_FOUND', 'There is no API key with this id.');
    log.info({ keyId: record.id, ...rates }, 'API key rates set');
    return jsonResponse(200, toApiKey(record));
  },
});

const revokeApiKeyRoute = (postgres: Postgres): Route => ({
  method: 'delete',
  path: `${path}/:id`,
  summary: 'Revokes an API key permanently; it is rejected within 5 s.',
  operationId: 'revokeApiKey',
  access: 'admin',
  examples: [{ name: 'one', params: { id: '1' } }],
  schemas: { params: ApiKeyPath, query: noParameters, responses: { 200: ApiKey } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, log }) {
    const record = await revokeApiKey(postgres, params['id'] ?? '');
    if (!record) throw new ApiError('NOT_FOUND', 'There is no API key with this id.');
    log.info({ keyId: record.id, networkId: record.networkId, vendor: record.vendor }, 'API key revoked');
    return jsonResponse(200, toApiKey(record));
  },
});

export const apiKeyRoutes = (postgres: Postgres, registryLog: RegistryLog): readonly Route[] => [
  createApiKeyRoute(postgres, registryLog),
  listApiKeysRoute(postgres),
  setRatesRoute(postgres),
  revokeApiKeyRoute(postgres),
];
