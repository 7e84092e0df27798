import { ApiError } from '@popsvc/contracts/errors';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type ExportedJWKSCache,
  jwksCache,
  type JWTVerifyGetKey,
} from 'jose';
import type { RevocationWatch } from '../revocation-watch.ts';
import { acceptedAlgorithms } from './token-format.ts';
import { type TokenVerifier, createTokenVerifier } from './token-verifier.ts';

const remoteOptions = {
  timeoutDuration: 3_000,
  /** Minimum ms between two loads of the keys because of an unknown key id. */
  cooldownDuration: 1_000,
  /** Ms after which the keys are loaded again, which drops keys that the provider has withdrawn. */
  cacheMaxAge: 300_000,
};
/** While the provider is unavailable, the last known keys stay valid for this many ms after they were loaded. */
const keysValidWithoutProviderMs = 24 * 60 * 60 * 1_000;
const retryPauseMs = 1_000;

/** The returned function throws UNAVAILABLE if the provider is unavailable and no usable cached key matches the token. */
const createRemoteKeyResolver = (jwksUrl: string): JWTVerifyGetKey => {
  const read: ExportedJWKSCache = { jwks: { keys: [] }, uat: 0 };
  const remote = createRemoteJWKSet(new URL(jwksUrl), { ...remoteOptions, [jwksCache]: read });
  let retryNotBefore = -Infinity;

  const resolveFromCache: JWTVerifyGetKey = async (header, token) => {
    if (Date.now() - read.uat > keysValidWithoutProviderMs) throw new errors.JWKSNoMatchingKey();
    return createLocalJWKSet(read.jwks)(header, token);
  };

  return async (header, token) => {
    let failure: unknown;
    if (performance.now() >= retryNotBefore)
      try {
        return await remote(header, token);
      } catch (error) {
        if (isTokenError(error)) throw error;
        [failure, retryNotBefore] = [error, performance.now() + retryPauseMs];
      }
    try {
      return await resolveFromCache(header, token);
    } catch {
      throw new ApiError(
        'UNAVAILABLE',
        'The identity provider is unavailable and its keys cannot be read. Retry later.',
        { cause: failure },
      );
    }
  };
};

const isTokenError = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSMultipleMatchingKeys;

export interface ExternalIdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

/** The service does not learn which clients the provider has revoked: their tokens stay valid until they expire. */
export const createExternalTokenVerifier = (
  { issuer, jwksUrl, audience }: ExternalIdentityProvider,
  watch: RevocationWatch,
): TokenVerifier =>
  createTokenVerifier(
    {
      issuer,
      audience,
      algorithms: acceptedAlgorithms,
      resolveKey: createRemoteKeyResolver(jwksUrl),
      isActive: () => Promise.resolve(true),
    },
    watch,
  );
