import { randomUUID } from 'node:crypto';
import { errors, SignJWT } from 'jose';
import { type ClientRecord, findClient, type Postgres, type SecretSealer } from '@popsvc/platform/postgres';
import type { RevocationWatch } from '../revocation-watch.ts';
import { type KeyRing, createKeyRing } from './signing-keys.ts';
import {
  builtInAlgorithm,
  builtInAudience,
  builtInIssuer,
  reportingScope,
  tokenLifetimeSeconds,
  tokenType,
} from './token-format.ts';
import { type TokenVerifier, createTokenVerifier } from './token-verifier.ts';

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scope: string;
}

/** Issues a token in the format of RFC 9068. */
const issueToken = async (keys: KeyRing, { clientId, networkIds }: ClientRecord): Promise<IssuedToken> => {
  const { kid, key } = await keys.signing();
  const now = Math.floor(Date.now() / 1000);
  const accessToken = await new SignJWT({ client_id: clientId, scope: reportingScope, network_ids: networkIds })
    .setProtectedHeader({ alg: builtInAlgorithm, typ: tokenType, kid })
    .setIssuer(builtInIssuer)
    .setAudience(builtInAudience)
    .setSubject(clientId)
    .setJti(randomUUID())
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + tokenLifetimeSeconds)
    .sign(key);
  return { accessToken, expiresIn: tokenLifetimeSeconds, scope: reportingScope };
};

export interface BuiltInTokenProvider extends TokenVerifier {
  issue(client: ClientRecord): Promise<IssuedToken>;
  readonly jwks: KeyRing['jwks'];
}

const maxKeyIdLength = 128;

export const createBuiltInTokenProvider = (
  postgres: Postgres,
  sealer: SecretSealer,
  watch: RevocationWatch,
): BuiltInTokenProvider => {
  const keys = createKeyRing(postgres, sealer, watch);
  const { verify } = createTokenVerifier(
    {
      issuer: builtInIssuer,
      audience: builtInAudience,
      algorithms: [builtInAlgorithm],
      async resolveKey({ kid }) {
        const key = kid !== undefined && kid.length <= maxKeyIdLength ? await keys.verifying(kid) : undefined;
        if (!key) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      async isActive(clientId) {
        const client = await findClient(postgres, clientId);
        return client?.revokedAt === null;
      },
    },
    watch,
  );
  return { verify, issue: (client) => issueToken(keys, client), jwks: keys.jwks };
};
