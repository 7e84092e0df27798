import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { bearer, openWorld, type World } from '../query-api/world.fixture.ts';
import { anyReport, askToken } from './token-requests.fixture.ts';

const [issuer, audience] = ['https://id.example/', 'reports'];

describe('an external identity provider', () => {
  let world: World;
  let server: Server;
  let key: CryptoKey;
  let up = true;

  before(async () => {
    const pair = await generateKeyPair('RS256');
    key = pair.privateKey;
    const jwks = JSON.stringify({
      keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'theirs', alg: 'RS256', use: 'sig' }],
    });
    server = createServer((_, response) => response.writeHead(up ? 200 : 500).end(up ? jwks : 'no'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    world = await openExternal();
  });
  after(async () => {
    await world.close();
    server.close();
  });

  const openExternal = async (): Promise<World> => {
    const jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`;
    const opened = await openWorld({ provider: { issuer, audience, jwksUrl } });
    await opened.register([{ id: 1, name: 'One' }]);
    return opened;
  };
  const token = (own: Readonly<Record<string, unknown>> = {}, head: Readonly<Record<string, unknown>> = {}) =>
    new SignJWT({ iss: issuer, aud: audience, sub: 'c', client_id: 'c', jti: 'j', network_ids: [1], ...own })
      .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'theirs', ...head })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(key);

  it('lets its tokens in, and API keys as before', async () => {
    expect((await world.get(anyReport, bearer(await token()))).status).equal(200);
    expect((await world.get(anyReport, { 'x-api-key': await world.apiKey(1) })).status).equal(200);
  });

  it('is held to its issuer, audience, type and keys', async () => {
    for (const wrong of [
      await token({ iss: 'popsvc' }),
      await token({ aud: 'popsvc-reporting' }),
      await token({}, { typ: 'JWT' }),
      await token({}, { kid: 'unknown' }),
      await token({ network_ids: '1' }),
    ])
      await expectRefused(await world.get(anyReport, bearer(wrong)), 401, 'UNAUTHORIZED');
    await expectRefused(
      await world.get(anyReport, bearer(await token({ network_ids: undefined }))),
      403,
      'FORBIDDEN_NETWORKS',
    );
  });

  it('takes the place of the built-in one', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'a', client_secret: 'b' };
    await expectRefused(await askToken(world, form), 404, 'NOT_FOUND');
    await expectRefused(await world.get('/.well-known/jwks.json', {}), 404, 'NOT_FOUND');
  });

  it('that does not answer is a 503, not a 401', async () => {
    const fresh = await openExternal();
    up = false;
    const answer = await fresh.get(anyReport, bearer(await token()));
    expect(answer.headers.get('retry-after')).match(/^\d+$/);
    await expectRefused(answer, 503, 'UNAVAILABLE');
    up = true;
    // It is left alone for as long as Retry-After says.
    await sleep(1_000);
    expect((await fresh.get(anyReport, bearer(await token()))).status).equal(200);
    await fresh.close();
  });
});
