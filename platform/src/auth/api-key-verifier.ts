import { timingSafeEqual } from 'node:crypto';
import { findApiKey, type Queryable } from '../postgres/index.ts';
import { hashApiKey, hasRightChecksum, hasApiKeyFormat } from './api-key-text.ts';
import type { ApiKeyPrincipal } from './principal.ts';
import type { RevocationWatch } from './revocation-watch.ts';
import { CredentialCache } from './verified-cache.ts';

export interface ApiKeyVerifier {
  /** Whose key this is; undefined when it is not (or no longer) one of ours. */
  verify(presented: string): Promise<ApiKeyPrincipal | undefined>;
}

/** API keys against the records, remembered for a while. */
export const createApiKeyVerifier = (postgres: Queryable, watch: RevocationWatch): ApiKeyVerifier => {
  const cache = new CredentialCache<ApiKeyPrincipal>(watch);

  const look = async (hash: Buffer) => {
    const found = await findApiKey(postgres, hash);
    if (!found || found.revokedAt || !timingSafeEqual(found.hash, hash)) return undefined;
    const { id, networkId, vendor, expiresAt, requestsPerSecond, eventsPerSecond } = found;
    const rates = { requestsPerSecond, eventsPerSecond };
    const principal: ApiKeyPrincipal = { kind: 'api-key', keyId: id, network: networkId, vendor, rates };
    return { principal, expiresAtMs: expiresAt?.getTime() };
  };

  return {
    verify(presented) {
      if (!hasApiKeyFormat(presented) || !hasRightChecksum(presented)) return Promise.resolve(undefined);
      const hash = hashApiKey(presented);
      return cache.principal(hash.toString('base64'), () => look(hash));
    },
  };
};
