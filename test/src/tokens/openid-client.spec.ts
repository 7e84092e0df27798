import { expect } from 'chai';
import * as client from 'openid-client';
import { bearer, type Client, openWorld, type World } from '../query-api/world.fixture.ts';
import { anyReport } from './token-requests.fixture.ts';

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
    const server = {
      issuer: 'popsvc',
      token_endpoint: `${world.url}/oauth/token`,
      jwks_uri: `${world.url}/.well-known/jwks.json`,
    };
    const config = new client.Configuration(server, clientId, undefined, authentication);
    client.allowInsecureRequests(config);
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
        new URL(`${world.url}${anyReport}`),
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
    const resource = client.fetchProtectedResource(posted, 'a.b.c', new URL(`${world.url}${anyReport}`), 'GET');
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
