import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { anyReport, requestToken } from './token-requests.fixture.ts';

const [issuer, audience] = ['https://id.example/', 'reports'];

describe('an external identity provider', () => {
  let api: TestQueryApi;
  let server: Server;
  let key: CryptoKey;
  let isUp = true;

  before(async () => {
    const pair = await generateKeyPair('RS256');
    key = pair.privateKey;
    const jwks = JSON.stringify({
      keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'theirs', alg: 'RS256', use: 'sig' }],
    });
    server = createServer((_, response) => response.writeHead(isUp ? 200 : 500).end(isUp ? jwks : 'no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    api = await openExternal();
  });
  after(async () => {
    await api.close();
    server.close();
  });

  const openExternal = async (): Promise<TestQueryApi> => {
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    const opened = await startTestQueryApi({ provider: { issuer, audience, jwksUrl } });
    await opened.register([{ id: 1, name: 'One' }]);
    return opened;
  };
  const token = (own: Readonly<Record<string, unknown>> = {}, head: Readonly<Record<string, unknown>> = {}) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'c', client_id: 'c', jti: 'j', network_ids: [1], ...own })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'theirs', ...head })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);

  it('issues accepted tokens, and API keys stay valid', async () => {
    expect((await api.get(anyReport, bearer(await token()))).status).equal(200);
    expect((await api.get(anyReport, { 'x-api-key': await api.apiKey(1) })).status).equal(200);
  });

  it('must match in issuer, audience, type and key', async () => {
    for (const wrong of [
      await token({ iss: 'popsvc' }),
      await token({ aud: 'popsvc-reporting' }),
      await token({}, { typ: 'JWT' }),
      await token({}, { kid: 'unknown' }),
      await token({ network_ids: '1' }),
    ])
      await expectRefused(await api.get(anyReport, bearer(wrong)), 401, 'UNAUTHORIZED');
    await expectRefused(
      await api.get(anyReport, bearer(await token({ network_ids: undefined }))),
      403,
      'FORBIDDEN_NETWORKS',
    );
  });

  it('replaces the built-in provider', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' };
    await expectRefused(await requestToken(api, form), 404, 'NOT_FOUND');
    await expectRefused(await api.get('/.well-known/jwks.json', {}), 404, 'NOT_FOUND');
  });

  it('causes 503 and not 401 while it does not respond', async () => {
    const fresh = await openExternal();
    isUp = false;
    const answer = await fresh.get(anyReport, bearer(await token()));
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
    isUp = true;
    // Its keys are not requested again before the time of Retry-After.
    await waitUntil(
      async () => (await fresh.get(anyReport, bearer(await token()))).status,
      (status) => status === 200,
    );
    await fresh.close();
  });
});
