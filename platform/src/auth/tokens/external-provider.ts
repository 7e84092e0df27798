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
import { type TokenVerifier, tokenVerifier } from './token-verifier.ts';

const times = {
  /** Timeout of one request to the provider. */
  timeoutDuration: 3_000,
  /** An unknown key id triggers a reload, at most once in this interval. */
  cooldownDuration: 1_000,
  /** Keys are reloaded at this age, so that a key withdrawn by the provider becomes invalid here too. */
  cacheMaxAge: 300_000,
};
/** How long the last known keys stay valid while the provider is unavailable. */
const believedWithoutProviderMs = 24 * 60 * 60 * 1_000;
/** Pause after a failed request to the provider. */
const restMs = 1_000;

/**
 * Resolves token keys from an identity provider's JWKS. Throws UNAVAILABLE (503) for a token that can neither be verified nor
 * rejected while the provider is unavailable.
 */
const remoteKeys = (jwksUrl: string): JWTVerifyGetKey => {
  const read: ExportedJWKSCache = { jwks: { keys: [] }, uat: 0 };
  const remote = createRemoteJWKSet(new URL(jwksUrl), { ...times, [jwksCache]: read });
  let restsUntil = -Infinity;

  const kept: JWTVerifyGetKey = async (header, token) => {
    if (Date.now() - read.uat > believedWithoutProviderMs) throw new errors.JWKSNoMatchingKey();
    return createLocalJWKSet(read.jwks)(header, token);
  };

  return async (header, token) => {
    let away: unknown;
    if (performance.now() >= restsUntil)
      try {
        return await remote(header, token);
      } catch (error) {
        if (isOfTheToken(error)) throw error;
        [away, restsUntil] = [error, performance.now() + restMs];
      }
    try {
      return await kept(header, token);
    } catch {
      throw new ApiError('UNAVAILABLE', 'The keys of the identity provider cannot be read now.', { cause: away });
    }
  };
};

const isOfTheToken = (error: unknown): boolean =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JOSENotSupported ||
  error instanceof errors.JWKSMultipleMatchingKeys;

/** An external identity provider. */
export interface ExternalIdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

/**
 * Creates a verifier for tokens of an external provider. The provider decides which clients are active, so a token is valid until
 * it expires.
 */
export const createExternalTokenVerifier = (
  { issuer, jwksUrl, audience }: ExternalIdentityProvider,
  watch: RevocationWatch,
): TokenVerifier =>
  tokenVerifier(
    {
      issuer,
      audience,
      algorithms: acceptedAlgorithms,
      keyOf: remoteKeys(jwksUrl),
      isLive: () => Promise.resolve(true),
    },
    watch,
  );
