import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ClientPrincipal } from '../access.ts';
import type { RevocationWatch } from '../revocation-watch.ts';
import { CredentialCache } from '../credential-cache.ts';
import { leewaySeconds, maxTokenLength, tokenShape, tokenType } from './token-format.ts';

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** The key id in the token comes from the caller: never use the id as a URL or path. */
  readonly resolveKey: JWTVerifyGetKey;
  readonly isActive: (clientId: string) => Promise<boolean>;
}

export interface TokenVerifier {
  /**
   * Resolves with undefined if the token is invalid. Throws ExpiredCredential if only its expiry has passed, and UNAVAILABLE if the keys or
   * the client cannot be read.
   */
  readonly verify: (token: string) => Promise<ClientPrincipal | undefined>;
}

const Claims = z.object({
  exp: z.number(),
  iat: z.number(),
  sub: z.string().min(1),
  jti: z.string().min(1),
  client_id: z.string().min(1).max(256),
  // A provider may omit the claim if the client has no networks.
  network_ids: z.array(z.int().positive()).max(10_000).default([]),
});

export const createTokenVerifier = (rules: TokenRules, watch: RevocationWatch): TokenVerifier => {
  const cache = new CredentialCache<ClientPrincipal>(watch);
  const verifyToken = async (token: string) => {
    const payload = await verifyPayload(token, rules);
    if (payload === 'unknown') return 'unknown';
    const claims = Claims.safeParse(payload).data;
    if (!claims || claims.iat > Date.now() / 1000 + leewaySeconds) return undefined;
    const { client_id: clientId, exp } = claims;
    const networkIds = [...new Set(claims.network_ids)];
    if (!(await rules.isActive(clientId))) return undefined;
    const principal: ClientPrincipal = { kind: 'client', clientId, networkIds };
    return { principal, expiresAtMs: (exp + leewaySeconds) * 1000 };
  };
  return {
    verify: (token) =>
      token.length > maxTokenLength || !tokenShape.test(token)
        ? Promise.resolve(undefined)
        : cache.principal(hash('sha256', token, 'base64'), () => verifyToken(token)),
  };
};

/** Does not check the expiry. Returns `unknown` if no published key has the token's key id. Throws if the keys cannot be loaded. */
const verifyPayload = async (token: string, rules: TokenRules): Promise<JWTPayload | 'unknown' | undefined> => {
  try {
    const { payload } = await jwtVerify(token, rules.resolveKey, {
      algorithms: [...rules.algorithms],
      issuer: rules.issuer,
      audience: rules.audience,
      typ: tokenType,
      clockTolerance: leewaySeconds,
      requiredClaims: ['exp', 'iat', 'sub', 'jti', 'client_id'],
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return 'unknown';
    // jose checks the expiry last, so signature, issuer, audience and type are valid.
    if (error instanceof errors.JWTExpired) return error.payload;
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
