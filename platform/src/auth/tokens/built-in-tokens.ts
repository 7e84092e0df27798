import { errors } from 'jose';
import { type ClientRecord, findClient, type Postgres } from '../../postgres/index.ts';
import type { RevocationWatch } from '../revocation-watch.ts';
import { type IssuedToken, issueToken } from './issue-token.ts';
import { type KeyRing, keyRing } from './key-ring.ts';
import { builtInAlgorithm, builtInAudience, builtInIssuer } from './token-form.ts';
import { type TokenVerifier, tokenVerifier } from './token-verifier.ts';

/** The built-in identity provider. */
export interface BuiltInTokenProvider extends TokenVerifier {
  issue(client: ClientRecord): Promise<IssuedToken>;
  readonly jwks: KeyRing['jwks'];
}

const maxKeyIdLength = 128;

export const createBuiltInTokenProvider = (postgres: Postgres, watch: RevocationWatch): BuiltInTokenProvider => {
  const keys = keyRing(postgres, watch);
  const { verify } = tokenVerifier(
    {
      issuer: builtInIssuer,
      audience: builtInAudience,
      algorithms: [builtInAlgorithm],
      async keyOf({ kid }) {
        const key = kid !== undefined && kid.length <= maxKeyIdLength ? await keys.verifying(kid) : undefined;
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      async isLive(clientId) {
        const client = await findClient(postgres, clientId);
        return client?.revokedAt === null;
      },
    },
    watch,
  );
  return { verify, issue: (client) => issueToken(keys, client), jwks: keys.jwks };
};
