import { openPrivateJwk } from '@popsvc/http-kit/auth/tokens';
import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import type { TestQueryApi } from './test-query-api.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

/** Signs the same token with an expiry in an hour. */
export const expireInHour = async ({ postgres }: TestQueryApi, token: string): Promise<string> => {
  const key = await readCurrentSigningKey(postgres);
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  return new SignJWT({ ...decodeJwt(token), exp })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256' })
    .sign(await importJWK(openPrivateJwk(secretSealer, key!), 'ES256'));
};
