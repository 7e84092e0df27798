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
  /**
   * Looks up the verification key by the key id in the token's header. The key id is used only for the look-up, never as a URL or
   * path.
   */
  readonly resolveKey: JWTVerifyGetKey;
  /** Resolves with true if the client exists and is not revoked. */
  readonly isActive: (clientId: string) => Promise<boolean>;
}

export interface TokenVerifier {
  /** Resolves with the token's client, or undefined if the token is invalid. Throws ExpiredCredential if it is only expired. */
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

/**
 * Verifies a token's signature and standard claims except its expiry. Returns undefined for an invalid token, and `unknown` if the
 * issuer has not published a key with the token's key id. Throws if the keys cannot be loaded.
 */
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
    // jose checks the expiry last, so the signature, the issuer, the audience and the type are valid.
    if (error instanceof errors.JWTExpired) return error.payload;
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
