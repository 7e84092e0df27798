import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  addClientSecret,
  type ClientRecord,
  readClientSecretHashes,
  findClient,
  insertClient,
  type Postgres,
} from '../../postgres/index.ts';

export interface NewClient {
  readonly networkIds: readonly number[];
  readonly name?: string | undefined;
}

/** A client and its secret, which is shown here and nowhere else. */
export interface ClientWithSecret {
  readonly client: ClientRecord;
  readonly clientSecret: string;
}

/** 256 bits of chance: more than anyone can try, so a fast hash is enough to store. */
const makeSecret = (): string => `popsvc_cs_${randomBytes(32).toString('base64url')}`;
const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer');
const nobody = hashOf(makeSecret());

export const createClient = async (postgres: Postgres, { networkIds, name }: NewClient): Promise<ClientWithSecret> => {
  const clientSecret = makeSecret();
  const clientId = `popsvc_${randomBytes(12).toString('hex')}`;
  const client = await insertClient(postgres, { clientId, name, networkIds, secretHash: hashOf(clientSecret) });
  return { client, clientSecret };
};

/** Another secret; the one before stays good for so long, that it can be exchanged without a pause. Older ones end now. */
export const rotateClientSecret = async (
  postgres: Postgres,
  clientId: string,
  overlapSeconds: number,
): Promise<ClientWithSecret | undefined> => {
  const clientSecret = makeSecret();
  const client = await addClientSecret(postgres, clientId, hashOf(clientSecret), overlapSeconds);
  return client && { client, clientSecret };
};

/** Ids have no other characters (RFC 6749, appendix A), and none of ours has; what has is looked for as nobody. */
const visible = /^[\x21-\x7e]{1,128}$/;

/** Whose credentials these are. An unknown client takes the same steps as a wrong secret. */
export const authenticateClient = async (
  postgres: Postgres,
  claimedId: string,
  secret: string,
): Promise<ClientRecord | undefined> => {
  const presented = hashOf(secret);
  const id = visible.test(claimedId) ? claimedId : '';
  const [client, hashes] = await Promise.all([findClient(postgres, id), readClientSecretHashes(postgres, id)]);
  const matches = (hashes.length > 0 ? hashes : [nobody]).map((stored) => timingSafeEqual(stored, presented));
  return client && client.revokedAt === null && matches.includes(true) ? client : undefined;
};
