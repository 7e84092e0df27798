import { expect } from 'chai';
import * as client from 'openid-client';
import { bearer, type Client, openWorld, type World } from '../query-api/world.fixture.ts';
import { anyReport } from './token-requests.fixture.ts';

const secure = 'https://reports.example';

/** Our token endpoint as a partner's library meets it. */
describe('openid-client', () => {
  let world: World;
  let partner: Client;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'One' }]);
    partner = await world.client(1);
  });
  after(() => world.close());

  const configured = (authentication: client.ClientAuth, clientId = partner.clientId): client.Configuration => {
    // The library wants TLS, as partners have it; what it sends to that address is brought to ours.
    const server = { issuer: 'popsvc', token_endpoint: `${secure}/oauth/token` };
    const config = new client.Configuration(server, clientId, undefined, authentication);
    config[client.customFetch] = (url, { body, ...options }) =>
      fetch(url.replace(secure, world.url), { ...options, body: body ?? null });
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
      expect((await world.get(anyReport, bearer(tokens.access_token))).status).equal(200);
      const answer = await client.fetchProtectedResource(
        config,
        tokens.access_token,
        new URL(`${secure}${anyReport}`),
        'GET',
      );
      expect(answer.status).equal(200);
    });

  it('is told what is wrong, in a form it knows', async () => {
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
