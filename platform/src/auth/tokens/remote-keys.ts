import { ApiError } from '@popsvc/contracts/errors';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type ExportedJWKSCache,
  jwksCache,
  type JWTVerifyGetKey,
} from 'jose';

const times = {
  /** For the provider to answer. */
  timeoutDuration: 3_000,
  /** A key id nobody knows makes us read again, but not more often than this. */
  cooldownDuration: 1_000,
  /** Keys are read again when they are this old, so that a key the provider took back ends here, too. */
  cacheMaxAge: 300_000,
};
/** While the provider is away its last keys are believed, for as long as an outage may last. */
const believedWithoutProviderMs = 24 * 60 * 60 * 1_000;
/** A provider that did not answer is left alone for this long. */
const restMs = 1_000;

/** The keys of an identity provider. A token that can neither be proven nor refused without it is answered with 503. */
export const remoteKeys = (jwksUrl: string): JWTVerifyGetKey => {
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
