import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  addClientSecret,
  type ClientRecord,
  readClientSecretHashes,
  findClient,
  insertClient,
  type Postgres,
} from '@popsvc/platform/postgres';

export interface NewClient {
  readonly networkIds: readonly number[];
  readonly name?: string | undefined;
}

/** A client with its secret. The secret is not stored and cannot be shown again. */
export interface ClientWithSecret {
  readonly client: ClientRecord;
  readonly clientSecret: string;
}

/**
 * Creates a secret with 256 bits of entropy, which is enough to resist guessing. A fast hash is therefore sufficient for storage.
 */
const generateSecret = (): string => `popsvc_cs_${randomBytes(32).toString('base64url')}`;
const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');
const unmatchableHash = hashSecret(generateSecret());

export const createClient = async (postgres: Postgres, { networkIds, name }: NewClient): Promise<ClientWithSecret> => {
  const clientSecret = generateSecret();
  const clientId = `popsvc_${randomBytes(12).toString('hex')}`;
  const client = await insertClient(postgres, { clientId, name, networkIds, secretHash: hashSecret(clientSecret) });
  return { client, clientSecret };
};

/**
 * Adds a new secret to a client. The previous secret stays valid for `overlapSeconds`, which allows the client to switch without an outage.
 * Older secrets become invalid at once. Returns undefined if the client does not exist or is revoked.
 */
export const rotateClientSecret = async (
  postgres: Postgres,
  clientId: string,
  overlapSeconds: number,
): Promise<ClientWithSecret | undefined> => {
  const clientSecret = generateSecret();
  const client = await addClientSecret(postgres, clientId, hashSecret(clientSecret), overlapSeconds);
  return client && { client, clientSecret };
};

/**
 * Every client id matches this pattern. For any other id, `authenticateClient` looks up the empty id, which no client has, so that the
 * response takes the usual time.
 */
const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/**
 * Authenticates a client by its secret. Performs the same steps for an unknown client as for a wrong secret. The response time
 * therefore does not reveal which ids exist.
 */
export const authenticateClient = async (
  postgres: Postgres,
  claimedId: string,
  secret: string,
): Promise<ClientRecord | undefined> => {
  const presented = hashSecret(secret);
  const id = visibleAscii.test(claimedId) ? claimedId : '';
  const [client, hashes] = await Promise.all([findClient(postgres, id), readClientSecretHashes(postgres, id)]);
  const matches = (hashes.length > 0 ? hashes : [unmatchableHash]).map((stored) => timingSafeEqual(stored, presented));
  return client && client.revokedAt === null && matches.includes(true) ? client : undefined;
};
