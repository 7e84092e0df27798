import { Instant, InstantText, instantMs } from '@popsvc/contracts/time';
import { z } from 'zod';

export const ApiKeyPath = z.object({ id: z.string().describe('The id of the API key.') });
export const ClientPath = z.object({ id: z.string().describe('The client_id.') });

const RequestsPerSecond = z.int().min(1).max(1_000_000);
const EventsPerSecond = z.int().min(1).max(100_000_000);

export const NewApiKey = z.strictObject({
  network: z.int().positive(),
  vendor: z.string().min(1).max(32),
  expires: InstantText.refine((text) => (instantMs(text) ?? Infinity) > Date.now(), 'must be in the future').optional(),
  name: z.string().trim().min(1).max(200).optional(),
  requests_per_second: RequestsPerSecond.optional(),
  events_per_second: EventsPerSecond.optional(),
});

/** Null restores the default rate; an absent field keeps the current one. */
export const ApiKeyRates = z.strictObject({
  requests_per_second: RequestsPerSecond.nullish(),
  events_per_second: EventsPerSecond.nullish(),
});

/** The only response that contains the key. */
export const CreatedApiKey = z
  .object({
    id: z.string(),
    api_key: z.string().describe('Only this response contains it.'),
    network_id: z.int().min(1),
    vendor: z.string(),
  })
  .meta({ id: 'MadeApiKey' });

export const ApiKey = z
  .object({
    id: z.string(),
    network_id: z.int().min(1),
    vendor: z.string(),
    name: z.string().nullable(),
    prefix: z.string().describe('The first characters of the key, to recognize it.'),
    requests_per_second: z.int().min(1),
    events_per_second: z.int().min(1),
    created_at: Instant,
    expires_at: Instant.nullable(),
    revoked_at: Instant.nullable(),
  })
  .meta({ id: 'ApiKey' });

/** Metadata only: the identity provider's JWKS endpoint publishes the public key. */
export const SigningKey = z
  .object({
    kid: z.string(),
    algorithm: z.string(),
    created_at: Instant,
    public_until: Instant.nullable().describe('When its last token expires; null for the key that signs.'),
  })
  .meta({ id: 'SigningKey' });

const networkIds = z
  .array(z.int().min(1))
  .describe("In the order of the token's claim; the first is the default of a request.");

/** The only response that contains the secret. */
export const CreatedClient = z
  .object({
    client_id: z.string(),
    client_secret: z.string().describe('Only this response contains it.'),
    network_ids: networkIds,
  })
  .meta({ id: 'MadeClient' });

export const Client = z
  .object({
    client_id: z.string(),
    name: z.string().nullable(),
    network_ids: networkIds,
    created_at: Instant,
    revoked_at: Instant.nullable(),
  })
  .meta({ id: 'Client' });
