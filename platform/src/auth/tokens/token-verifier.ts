import { hash } from 'node:crypto';
import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { z } from 'zod';
import type { ClientPrincipal } from '../principal.ts';
import type { RevocationWatch } from '../revocation-watch.ts';
import { CredentialCache } from '../verified-cache.ts';
import { leewaySeconds } from './lifetimes.ts';
import { maxTokenLength, tokenShape, tokenType } from './token-form.ts';

/** Whose tokens are taken, and how they are signed. */
export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  /** By the key id of the token's header, which is a name to look up and nothing else. */
  readonly keyOf: JWTVerifyGetKey;
  /** Whether the client may still use its tokens. */
  readonly isLive: (clientId: string) => Promise<boolean>;
}

export interface TokenVerifier {
  /** Whose token this is; undefined when it is not good here. */
  readonly verify: (token: string) => Promise<ClientPrincipal | undefined>;
}

const Claims = z.object({
  exp: z.number(),
  iat: z.number(),
  sub: z.string().min(1),
  jti: z.string().min(1),
  client_id: z.string().min(1).max(256),
  // A provider may leave the claim out for a client without networks.
  network_ids: z.array(z.int().positive()).max(10_000).default([]),
});

export const tokenVerifier = (rules: TokenRules, watch: RevocationWatch): TokenVerifier => {
  const cache = new CredentialCache<ClientPrincipal>(watch);
  const look = async (token: string) => {
    const payload = await provenPayload(token, rules);
    if (payload === 'unknown') return 'unknown';
    const claims = Claims.safeParse(payload).data;
    if (!claims || claims.iat > Date.now() / 1000 + leewaySeconds) return undefined;
    const { client_id: clientId, exp } = claims;
    const networkIds = [...new Set(claims.network_ids)];
    if (!(await rules.isLive(clientId))) return undefined;
    const principal: ClientPrincipal = { kind: 'client', clientId, networkIds };
    return { principal, expiresAtMs: (exp + leewaySeconds) * 1000 };
  };
  return {
    verify: (token) =>
      token.length > maxTokenLength || !tokenShape.test(token)
        ? Promise.resolve(undefined)
        : cache.principal(hash('sha256', token, 'base64'), () => look(token)),
  };
};

/**
 * The claims of a token that is signed as the rules want it; undefined when it is not, `unknown` when its key is not (yet) one of the
 * issuer's. What is not the token's fault is thrown.
 */
const provenPayload = async (token: string, rules: TokenRules): Promise<JWTPayload | 'unknown' | undefined> => {
  try {
    const { payload } = await jwtVerify(token, rules.keyOf, {
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
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
};
