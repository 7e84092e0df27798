import type { RevocationWatch } from '../revocation-watch.ts';
import { remoteKeys } from './remote-keys.ts';
import { acceptedAlgorithms } from './token-form.ts';
import { type TokenVerifier, tokenVerifier } from './token-verifier.ts';

/** An identity provider of somebody else's. */
export interface ExternalIdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
}

/** Its tokens live as long as they say: who may have them is the provider's to decide. */
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
