import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import type { TestQueryApi } from './test-query-api.fixture.ts';

/** Tokens are accepted for this long after their expiry, because clocks differ. */
const leewaySeconds = 30;

/** Signs the same token with an expiry in two to three seconds, including the leeway. */
export const expireSoon = async ({ postgres }: TestQueryApi, token: string): Promise<string> => {
  const key = await readCurrentSigningKey(postgres);
  const exp = Math.floor(Date.now() / 1_000) + 3 - leewaySeconds;
  return new SignJWT({ ...decodeJwt(token), exp })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256' })
    .sign(await importJWK(key?.privateJwk ?? {}, 'ES256'));
};
