import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { ClientRecord } from '../../postgres/index.ts';
import type { KeyRing } from './key-ring.ts';
import { tokenSeconds } from './lifetimes.ts';
import { builtInAlgorithm, builtInAudience, builtInIssuer, reportingScope, tokenType } from './token-form.ts';

export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly scope: string;
}

/** A signed access token (RFC 9068) for a client that has proven itself. */
export const issueToken = async (keys: KeyRing, { clientId, networkIds }: ClientRecord): Promise<IssuedToken> => {
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
    .setExpirationTime(now + tokenSeconds)
    .sign(key);
  return { accessToken, expiresIn: tokenSeconds, scope: reportingScope };
};
