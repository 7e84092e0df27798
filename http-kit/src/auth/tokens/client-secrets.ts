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

/** The secret is not stored, so this is the only copy. */
export interface ClientWithSecret {
  readonly client: ClientRecord;
  readonly clientSecret: string;
}

/** 256 bits of entropy, so a fast hash is sufficient. */
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
 * The previous secret stays valid for `overlapSeconds`; older ones end at once. Resolves with undefined if the client does not exist or is
 * revoked.
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

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** Does the same work for an unknown client as for a wrong secret, so the response time does not reveal which ids exist. */
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
