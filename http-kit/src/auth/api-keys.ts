import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type ApiKeyRecord, findApiKey, insertApiKey, type Queryable } from '@popsvc/platform/postgres';
import type { ApiKeyPrincipal } from './access.ts';
import { CredentialCache } from './credential-cache.ts';
import type { RevocationWatch } from './revocation-watch.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Gives 178 bits of entropy. */
const secretLength = 30;
const checkLength = 6;
const keyFormat = new RegExp(`^[a-z][a-z0-9]{1,31}_sk_[0-9A-Za-z]{${secretLength + checkLength}}$`);

const base62 = (value: number, length: number): string => {
  let text = '';
  for (let left = value; text.length < length; left = Math.floor(left / 62)) text = alphabet[left % 62]! + text;
  return text;
};

/** The checksum lets secret scanners recognize a key, and lets the service detect a typo without a database query. */
export const generateApiKey = (vendor: string): string => {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `${vendor}_sk_${secret}`;
  return body + base62(crc32(body), checkLength);
};

export const hasApiKeyFormat = (text: string): boolean => keyFormat.test(text);

const hasValidChecksum = (key: string): boolean =>
  base62(crc32(key.slice(0, -checkLength)), checkLength) === key.slice(-checkLength);

/** A fast hash is sufficient, because keys are too random to guess. */
export const hashApiKey = (key: string): Buffer => hash('sha256', key, 'buffer');

const apiKeyPrefix = (key: string): string => key.slice(0, key.indexOf('_sk_') + 8);

export interface NewApiKey {
  readonly vendor: string;
  readonly networkId: number;
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** If undefined, the key follows the default rates and their changes. */
  readonly requestsPerSecond?: number | undefined;
  readonly eventsPerSecond?: number | undefined;
}

/** Generates a key and stores its hash. Only the returned value contains the key. */
export const createApiKey = async (
  postgres: Queryable,
  newKey: NewApiKey,
): Promise<{ readonly apiKey: string; readonly record: ApiKeyRecord }> => {
  const apiKey = generateApiKey(newKey.vendor);
  const record = await insertApiKey(postgres, { ...newKey, hash: hashApiKey(apiKey), prefix: apiKeyPrefix(apiKey) });
  return { apiKey, record };
};

export interface ApiKeyVerifier {
  /**
   * Resolves with undefined if the key is malformed, unknown or revoked. Throws ExpiredCredential if it has expired, and UNAVAILABLE if
   * PostgreSQL is needed and does not answer.
   */
  verify(presented: string): Promise<ApiKeyPrincipal | undefined>;
}

export const createApiKeyVerifier = (postgres: Queryable, watch: RevocationWatch): ApiKeyVerifier => {
  const cache = new CredentialCache<ApiKeyPrincipal>(watch);

  const lookUp = async (hash: Buffer) => {
    const found = await findApiKey(postgres, hash);
    if (!found || found.revokedAt || !timingSafeEqual(found.hash, hash)) return undefined;
    const { id, networkId, vendor, expiresAt, requestsPerSecond, eventsPerSecond } = found;
    const rates = { requestsPerSecond, eventsPerSecond };
    const principal: ApiKeyPrincipal = { kind: 'api-key', keyId: id, network: networkId, vendor, rates };
    return { principal, expiresAtMs: expiresAt?.getTime() };
  };

  return {
    verify(presented) {
      if (!hasApiKeyFormat(presented) || !hasValidChecksum(presented)) return Promise.resolve(undefined);
      const hash = hashApiKey(presented);
      return cache.principal(hash.toString('base64'), () => lookUp(hash));
    },
  };
};
