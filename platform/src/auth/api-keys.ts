import { type ApiKeyRecord, insertApiKey, type Queryable } from '../postgres/index.ts';
import { hashApiKey, apiKeyPrefix, generateApiKey } from './api-key-text.ts';

export interface NewApiKey {
  readonly vendor: string;
  readonly networkId: number;
  readonly name?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Undefined: the standard rate, also when that changes. */
  readonly requestsPerSecond?: number | undefined;
  readonly eventsPerSecond?: number | undefined;
}

/** Makes a key and stores its hash. The key is in the answer and nowhere else. */
export const createApiKey = async (
  postgres: Queryable,
  wanted: NewApiKey,
): Promise<{ readonly apiKey: string; readonly record: ApiKeyRecord }> => {
  const apiKey = generateApiKey(wanted.vendor);
  const record = await insertApiKey(postgres, { ...wanted, hash: hashApiKey(apiKey), prefix: apiKeyPrefix(apiKey) });
  return { apiKey, record };
};
