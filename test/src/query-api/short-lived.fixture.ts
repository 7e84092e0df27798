import { readCurrentSigningKey } from '@popsvc/platform/postgres';
import { decodeJwt, decodeProtectedHeader, importJWK, SignJWT } from 'jose';
import type { World } from './world.fixture.ts';

/** Tokens are taken so long past their time, for clocks that differ. */
const leewaySeconds = 30;

/** The same token, but that it is taken for two to three seconds more and not longer. */
export const shortLived = async ({ postgres }: World, token: string): Promise<string> => {
  const key = await readCurrentSigningKey(postgres);
  const exp = Math.floor(Date.now() / 1_000) + 3 - leewaySeconds;
  return new SignJWT({ ...decodeJwt(token), exp })
    .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256' })
    .sign(await importJWK(key?.privateJwk ?? {}, 'ES256'));
};
