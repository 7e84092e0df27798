import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ExpiredCredential, type RevocationWatch } from '@popsvc/http-kit/auth';
import { createExternalTokenVerifier } from '@popsvc/http-kit/auth/tokens';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const watch: RevocationWatch = { epoch: () => 0, onChange: () => () => undefined, stop: () => undefined };
const valid = { iss: 'https://id.example/', aud: 'reports', sub: 'c', client_id: 'c', jti: 'j', network_ids: [1] };

describe('the verifier of access tokens', () => {
  it('distinguishes a token that is only expired from a wrong one', async () => {
    const [own, foreign] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')]);
    const keys = [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'ES256' }];
    const server = createServer((_, response) => response.end(JSON.stringify({ keys }))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { verify } = createExternalTokenVerifier(
      { issuer: valid.iss, audience: valid.aud, jwksUrl: `http://127.0.0.1:${port}/` },
      watch,
    );
    const expiredS = Math.floor(Date.now() / 1_000) - 31;
    const outcome = async (claims: object, { key = own.privateKey, typ = 'at+jwt' } = {}) => {
      const token = await new SignJWT({ ...valid, iat: expiredS - 900, exp: expiredS, ...claims })
        .setProtectedHeader({ alg: 'ES256', typ, kid: 'k' })
        .sign(key);
      return verify(token).catch((thrown: unknown) => thrown);
    };
    try {
      expect(await outcome({})).to.be.instanceOf(ExpiredCredential);
      expect(await outcome({ exp: expiredS + 900 })).to.include({ clientId: 'c' });
      for (const wrong of [{ iss: 'popsvc' }, { aud: 'other' }, { network_ids: '1' }, { client_id: undefined }])
        expect(await outcome(wrong), JSON.stringify(wrong)).to.equal(undefined);
      expect(await outcome({}, { key: foreign.privateKey })).to.equal(undefined);
      expect(await outcome({}, { typ: 'JWT' })).to.equal(undefined);
    } finally {
      server.close();
    }
  });
});
