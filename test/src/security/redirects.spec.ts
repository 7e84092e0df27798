import { createClient, ServiceError } from '@popsvc/client';
import { createAuthenticator, type RevocationWatch } from '@popsvc/http-kit/auth';
import { createExternalTokenVerifier } from '@popsvc/http-kit/auth/tokens';
import { jsonResponse as answer } from '@popsvc/http-kit/server';
import { expect } from 'chai';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type ScriptedServer, json, scriptedServer } from '../client/scripted-server.fixture.ts';
import { get, serve } from '../http/server.fixture.ts';
import { createPopsvcCommand } from '@popsvc/tools/rig';

const [issuer, audience] = ['https://id.example/', 'reports'];

describe('a redirect', () => {
  let elsewhere: ScriptedServer;
  let redirecting: ScriptedServer;
  let content: unknown = {};
  beforeEach(async () => {
    elsewhere = await scriptedServer(() => json(200, content));
    redirecting = await scriptedServer(() => (response, { path }) => {
      response.writeHead(307, { location: `${elsewhere.url}${path}` }).end();
    });
  });
  afterEach(() => Promise.all([elsewhere.close(), redirecting.close()]));

  it('of an identity provider is not followed to other keys', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    content = { keys: [{ ...(await exportJWK(publicKey)), kid: 'theirs', alg: 'ES256', use: 'sig' }] };
    const token = await new SignJWT({ client_id: 'c', network_ids: [1] })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'theirs' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject('c')
      .setJti('j')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey);
    const statusBy = async (url: string) => {
      const watch: RevocationWatch = { epoch: () => 0, onChange: () => () => undefined, stop: () => undefined };
      const tokens = createExternalTokenVerifier({ issuer, audience, jwksUrl: `${url}/jwks` }, watch);
      const server = await serve([get('/report', () => answer(200, {}), { access: 'reporting' })], {
        authenticate: createAuthenticator({ tokens }),
      });
      const { status } = await fetch(`${server.baseUrl}/report`, { headers: { authorization: `Bearer ${token}` } });
      await server.server.close();
      return status;
    };
    expect(await statusBy(elsewhere.url), 'where they really are').to.equal(200);
    const before = elsewhere.requests.length;
    expect(await statusBy(redirecting.url)).to.equal(503);
    expect(elsewhere.requests.length).to.equal(before);
  });

  it('does not get the credential of a partner or vendor', async () => {
    const addresses = { baseUrl: redirecting.url, ingestUrl: redirecting.url };
    const client = createClient({ ...addresses, apiKey: 'acme_sk_1' });
    const failed = await client.coffeePage({ from: '2026-08-01', to: '2026-08-02' }).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(ServiceError).and.to.include({ status: 307, code: 'HTTP_307' });
    expect((failed as ServiceError).message).to.include(`redirects to ${elsewhere.url}`);
    expect(redirecting.requests).to.have.length(1);
    expect(elsewhere.requests).to.deep.equal([]);
  });

  it('does not get the credential of an operator', async () => {
    const popsvc = createPopsvcCommand({
      POPSVC_OPS_URL: redirecting.url,
      POPSVC_OPERATOR_TOKEN: 'operator-token-of-tests',
    });
    const { code, stderr } = await popsvc('projections', 'list');
    expect(code).to.equal(1);
    expect(stderr).to.include(`redirects to ${elsewhere.url}`);
    expect((await popsvc('doctor')).code).to.equal(1);
    expect(redirecting.requests.length).to.be.above(1);
    expect(elsewhere.requests).to.deep.equal([]);
  });
});
