import { Refusal } from '@popsvc/contracts/errors';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import type { RevocationWatch } from '../revocation-watch.ts';
import { acceptedAlgorithms } from './token-form.ts';
import { type TokenVerifier, tokenVerifier } from './token-verifier.ts';

/** An identity provider of somebody else's. */
export interface ExternalProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

export const externalTokens = (
  { issuer, jwksUrl, audience }: ExternalProvider,
  watch: RevocationWatch,
): TokenVerifier => {
  const remote = createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 3_000, cooldownDuration: 10_000 });
  const keyOf: JWTVerifyGetKey = async (header, token) => {
    try {
      return await remote(header, token);
    } catch (cause) {
      const unknown = cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JOSENotSupported;
      if (unknown || cause instanceof errors.JWKSMultipleMatchingKeys) throw cause;
      throw new Refusal('UNAVAILABLE', 'The keys of the identity provider cannot be read now.', { cause });
    }
  };
  return tokenVerifier(
    { issuer, audience, algorithms: acceptedAlgorithms, keyOf, isLive: () => Promise.resolve(true) },
    watch,
  );
};
