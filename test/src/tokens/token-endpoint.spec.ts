import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { bearer, type Client, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { anyReport, requestToken, basic, type Form, type TokenBody } from './token-requests.fixture.ts';

const grant_type = 'client_credentials';

describe('the token endpoint', () => {
  let api: TestQueryApi;
  let client: Client;
  let credentials: { client_id: string; client_secret: string };
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
    client = await api.client(1, 2);
    credentials = { client_id: client.clientId, client_secret: client.clientSecret };
  });
  after(() => api.close());

  const expectRefused = async (answer: Response, status: number, error: string): Promise<string> => {
    const body = (await answer.json()) as { error: string; error_description: string };
    expect(answer.status, JSON.stringify(body)).equal(status);
    expect(Object.keys(body)).deep.equal(['error', 'error_description']);
    expect(body.error).equal(error);
    expect(answer.headers.get('cache-control')).equal('no-store');
    expect(answer.headers.get('pragma')).equal('no-cache');
    expect(answer.headers.get('content-type')).equal('application/json; charset=utf-8');
    if (status === 401) expect(answer.headers.get('www-authenticate')).match(/^Basic realm="popsvc"/);
    return body.error_description;
  };

  const expectToken = async (answer: Response): Promise<string> => {
    expect(answer.status).equal(200);
    expect(answer.headers.get('cache-control')).equal('no-store');
    expect(answer.headers.get('pragma')).equal('no-cache');
    const body = (await answer.json()) as TokenBody;
    expect(body).include({ token_type: 'Bearer', expires_in: 900 });
    expect((await api.get(anyReport, bearer(body.access_token))).status).equal(200);
    return body.access_token;
  };

  it('accepts credentials in the form and by HTTP Basic', async () => {
    await expectToken(await requestToken(api, { grant_type, ...credentials }));
    await expectToken(await requestToken(api, { grant_type }, basic(client.clientId, client.clientSecret)));
    const both = { grant_type, client_id: client.clientId };
    await expectToken(await requestToken(api, both, basic(client.clientId, client.clientSecret)));
    await expectToken(await requestToken(api, { grant_type, ...credentials, scope: 'reporting' }));
    await expectToken(await requestToken(api, { grant_type, ...credentials, scope: 'other reporting' }));
    await expectToken(
      await requestToken(api, { grant_type, ...credentials, resource: 'unknown parameters do not matter' }),
    );
  });

  it('issues tokens of the form of RFC 9068', async () => {
    const beganS = Math.floor(Date.now() / 1_000);
    const token = await expectToken(await requestToken(api, { grant_type, ...credentials }));
    const { kid, ...header } = decodeProtectedHeader(token);
    expect(header).deep.equal({ alg: 'ES256', typ: 'at+jwt' });
    const { iat = 0, exp, nbf, jti, ...claims } = decodeJwt(token);
    expect(claims).deep.equal({
      iss: 'popsvc',
      aud: 'popsvc-reporting',
      sub: client.clientId,
      client_id: client.clientId,
      scope: 'reporting',
      network_ids: [1, 2],
    });
    expect(jti).match(/^[0-9a-f-]{36}$/);
    expect(iat).within(beganS, Date.now() / 1_000);
    expect([exp, nbf]).deep.equal([iat + 900, iat]);
    const jwks = (await (await fetch(`${api.url}/.well-known/jwks.json`)).json()) as {
      keys: Record<string, string>[];
    };
    const [key] = jwks.keys;
    expect(key).include({ kid, kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
    expect(key).not.have.property('d');
  });

  const wrong: readonly [about: string, form: (good: Form) => Form | string, status: number, error: string][] = [
    ['no grant_type', (good) => good, 400, 'invalid_request'],
    ['an empty grant_type', (good) => ({ ...good, grant_type: '' }), 400, 'invalid_request'],
    ['another grant', (good) => ({ ...good, grant_type: 'password' }), 400, 'unsupported_grant_type'],
    ['refresh_token', (good) => ({ ...good, grant_type: 'refresh_token' }), 400, 'unsupported_grant_type'],
    ['no client', () => ({ grant_type }), 401, 'invalid_client'],
    ['no secret', ({ client_id = '' }) => ({ grant_type, client_id }), 401, 'invalid_client'],
    ['an empty secret', (good) => ({ grant_type, ...good, client_secret: '' }), 401, 'invalid_client'],
    ['a wrong secret', (good) => ({ grant_type, ...good, client_secret: 'wrong' }), 401, 'invalid_client'],
    ['an unknown client', (good) => ({ grant_type, ...good, client_id: 'unknown' }), 401, 'invalid_client'],
    ['a client of SQL', (good) => ({ grant_type, ...good, client_id: "' OR '1'='1" }), 401, 'invalid_client'],
    ['a NUL in the client', (good) => ({ grant_type, ...good, client_id: 'a\0b' }), 401, 'invalid_client'],
    ['an unknown scope', (good) => ({ grant_type, ...good, scope: 'everything' }), 400, 'invalid_scope'],
    [
      'a repeated parameter',
      (good) => `${new URLSearchParams({ grant_type, ...good }).toString()}&grant_type=x`,
      400,
      'invalid_request',
    ],
    [
      'a repeated secret',
      (good) => `${new URLSearchParams({ grant_type, ...good }).toString()}&client_secret=x`,
      400,
      'invalid_request',
    ],
    ['an empty body', () => '', 400, 'invalid_request'],
    [
      'a body that is too large',
      (good) => ({ grant_type, ...good, filler: 'x'.repeat(9_000) }),
      400,
      'invalid_request',
    ],
  ];
  for (const [about, form, status, error] of wrong)
    it(`refuses ${about}`, async () => {
      await expectRefused(await requestToken(api, form(credentials)), status, error);
    });

  it('refuses two ways of authentication at once', async () => {
    const header = basic(client.clientId, client.clientSecret);
    await expectRefused(await requestToken(api, { grant_type, ...credentials }, header), 400, 'invalid_request');
    await expectRefused(await requestToken(api, { grant_type, client_id: 'another' }, header), 400, 'invalid_request');
  });

  it('refuses an Authorization header without client credentials', async () => {
    for (const authorization of [
      'Basic',
      'Basic !!!',
      `Basic ${btoa('no-colon')}`,
      `Basic ${btoa(':x')}`,
      `Basic ${btoa('%:x')}`,
      'Bearer abc',
    ])
      await expectRefused(await requestToken(api, { grant_type }, { authorization }), 401, 'invalid_client');
  });

  it('responds the same to an unknown client and to a wrong secret', async () => {
    const one = await expectRefused(
      await requestToken(api, { grant_type, ...credentials, client_secret: 'x' }),
      401,
      'invalid_client',
    );
    const other = await expectRefused(
      await requestToken(api, { grant_type, client_id: 'x', client_secret: 'x' }),
      401,
      'invalid_client',
    );
    expect(one).equal(other);
  });

  it('accepts parameters in the body only', async () => {
    const address = `${api.url}/oauth/token?${new URLSearchParams({ grant_type, ...credentials }).toString()}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = new URLSearchParams({ grant_type, ...credentials }).toString();
    for (const body of ['', form])
      await expectRefused(await fetch(address, { method: 'POST', headers, body }), 400, 'invalid_request');
  });

  it('accepts forms only', async () => {
    const body = JSON.stringify({ grant_type, ...credentials });
    const json = { 'content-type': 'application/json' };
    await expectRefused(
      await fetch(`${api.url}/oauth/token`, { method: 'POST', headers: json, body }),
      400,
      'invalid_request',
    );
    const got = await fetch(`${api.url}/oauth/token`);
    expect(got.status).equal(405);
    expect(got.headers.get('allow')).contain('POST');
  });
});
