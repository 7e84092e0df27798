import { expect } from 'chai';
import * as client from 'openid-client';
import { bearer, type Client, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { anyReport } from './token-requests.fixture.ts';

const secure = 'https://reports.example';

/** The token endpoint with a client library of partners. */
describe('openid-client', () => {
  let api: TestQueryApi;
  let partner: Client;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
    partner = await api.client(1);
  });
  after(() => api.close());

  const configured = (authentication: client.ClientAuth, clientId = partner.clientId): client.Configuration => {
    // The library requires TLS; its requests are redirected to the test server.
    const server = { issuer: 'popsvc', token_endpoint: `${secure}/oauth/token` };
    const config = new client.Configuration(server, clientId, undefined, authentication);
    config[client.customFetch] = (url, { body, ...options }) =>
      fetch(url.replace(secure, api.url), { ...options, body: body ?? null });
    return config;
  };

  for (const [method, authentication] of [
    ['client_secret_basic', client.ClientSecretBasic],
    ['client_secret_post', client.ClientSecretPost],
  ] as const)
    it(`gets a token by ${method} and reads coffee with it`, async () => {
      const config = configured(authentication(partner.clientSecret));
      const tokens = await client.clientCredentialsGrant(config, { scope: 'reporting' });
      expect(tokens.expires_in).equal(900);
      expect(tokens.scope).equal('reporting');
      expect((await api.get(anyReport, bearer(tokens.access_token))).status).equal(200);
      const answer = await client.fetchProtectedResource(
        config,
        tokens.access_token,
        new URL(`${secure}${anyReport}`),
        'GET',
      );
      expect(answer.status).equal(200);
    });

  it('gets errors in the form it expects', async () => {
    const wrong = configured(client.ClientSecretBasic('wrong'));
    const error = await client.clientCredentialsGrant(wrong).catch((thrown: unknown) => thrown);
    expect(error).instanceOf(client.WWWAuthenticateChallengeError);
    const posted = configured(client.ClientSecretPost(partner.clientSecret));
    const scope = await client
      .clientCredentialsGrant(posted, { scope: 'everything' })
      .catch((thrown: unknown) => thrown);
    expect(scope).instanceOf(client.ResponseBodyError).and.include({ error: 'invalid_scope', status: 400 });
    const resource = client.fetchProtectedResource(posted, 'a.b.c', new URL(`${secure}${anyReport}`), 'GET');
    const challenge = await resource.catch((thrown: unknown) => thrown);
    expect(challenge).instanceOf(client.WWWAuthenticateChallengeError);
    expect((challenge as client.WWWAuthenticateChallengeError).cause[0]).deep.include({
      scheme: 'bearer',
      parameters: {
        realm: 'popsvc',
        error: 'invalid_token',
        error_description: 'The credential is not valid or has expired.',
      },
    });
  });
});
