import { Refusal } from '@popsvc/contracts/errors';
import { InstantText, instantMs } from '@popsvc/contracts/time';
import { createApiKey } from '@popsvc/platform/auth';
import { json, type Route } from '@popsvc/platform/http';
import { type ApiKeyRecord, listApiKeys, type Records, revokeApiKey } from '@popsvc/platform/records';
import { z } from 'zod';
import { checkedBody, switches } from '../checked.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { requireVendor } from './registered.ts';

const Wanted = z.strictObject({
  network: z.int().positive(),
  vendor: z.string().min(1).max(32),
  expires: InstantText.refine((text) => (instantMs(text) ?? Infinity) > Date.now(), 'must be in the future').optional(),
  name: z.string().trim().min(1).max(200).optional(),
});

const path = '/ops/v1/api-keys';

/** All that is ever told of a key once it was made. */
const told = ({ id, networkId, vendor, name, prefix, createdAt, expiresAt, revokedAt }: ApiKeyRecord) => ({
  id,
  network_id: networkId,
  vendor,
  name,
  prefix,
  created_at: createdAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
});

const create = (records: Records, known: RegistryLog): Route => ({
  method: 'post',
  path,
  summary: 'Makes an API key; it is shown in this answer and never again.',
  access: 'operator',
  body: 'json',
  schemas: { body: Wanted },
  async handle({ body, query, log }) {
    switches(query, []);
    const { network, vendor, expires, name } = checkedBody(Wanted, body);
    requireVendor(await known.upToDate(), network, vendor);
    const expiresAt = expires === undefined ? undefined : new Date(instantMs(expires)!);
    const { apiKey, record } = await createApiKey(records, { networkId: network, vendor, expiresAt, name });
    log.info({ key_id: record.id, network_id: network, vendor }, 'an API key was made');
    return json(201, { id: record.id, api_key: apiKey, network_id: network, vendor });
  },
});

const list = (records: Records): Route => ({
  method: 'get',
  path,
  summary: 'All API keys there ever were, without the keys.',
  access: 'operator',
  async handle({ query }) {
    switches(query, []);
    return json(200, (await listApiKeys(records)).map(told));
  },
});

const revoke = (records: Records): Route => ({
  method: 'delete',
  path: `${path}/:id`,
  summary: 'Revokes an API key for good; within 5 s nobody takes it any more.',
  access: 'operator',
  async handle({ params, query, log }) {
    switches(query, []);
    const record = await revokeApiKey(records, params['id'] ?? '');
    if (!record) throw new Refusal('NOT_FOUND', 'There is no API key of this id.');
    log.info({ key_id: record.id, network_id: record.networkId, vendor: record.vendor }, 'an API key was revoked');
    return json(200, told(record));
  },
});

export const apiKeyRoutes = (records: Records, known: RegistryLog): readonly Route[] => [
  create(records, known),
  list(records),
  revoke(records),
];
