import { rotateClientSecret, rotateSigningKey } from '@popsvc/http-kit/auth/tokens';
import { readClientSecretHashes, listClients, revokeClient } from '@popsvc/platform/postgres';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { bearer, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { anyReport, requestToken } from './token-requests.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

const grant_type = 'client_credentials';

describe('clients and signing keys', () => {
  let api: TestQueryApi;
  before(async () => {
    api = await startTestQueryApi();
    await api.register([{ id: 1, name: 'One' }]);
  });
  after(() => api.close());
  const status = async (token: string) => (await api.get(anyReport, bearer(token))).status;
  const tokenStatus = async (client_id: string, client_secret: string) =>
    (await requestToken(api, { grant_type, client_id, client_secret })).status;

  it('refuse the tokens of a revoked client soon, also those just used', async function () {
    const [revoked, active] = [await api.client(1), await api.client(1)];
    expect([await status(revoked.token), await status(active.token)]).deep.equal([200, 200]);
    await revokeClient(api.postgres, revoked.clientId);
    await waitUntil(
      () => status(revoked.token),
      (seen) => seen !== 200,
    );
    expect([await status(revoked.token), await status(active.token)]).deep.equal([401, 200]);
    expect(await tokenStatus(revoked.clientId, revoked.clientSecret)).equal(401);
  });

  it('accept the old and the new secret of a client for a limited time', async () => {
    const { clientId, clientSecret } = await api.client(1);
    const second = await rotateClientSecret(api.postgres, clientId, 60);
    expect(await tokenStatus(clientId, clientSecret)).equal(200);
    expect(await tokenStatus(clientId, second?.clientSecret ?? '')).equal(200);
    const third = await rotateClientSecret(api.postgres, clientId, 60);
    expect(await tokenStatus(clientId, clientSecret), 'the first of three').equal(401);
    expect(await tokenStatus(clientId, second?.clientSecret ?? ''), 'the second of three').equal(200);
    // Like 60 s later.
    await api.postgres.query(
      `UPDATE client_secrets SET expires_at = expires_at - interval '60 seconds' WHERE client_id = $1`,
      [clientId],
    );
    expect(await tokenStatus(clientId, second?.clientSecret ?? ''), 'the second, late').equal(401);
    expect(await tokenStatus(clientId, third?.clientSecret ?? '')).equal(200);
    expect(await rotateClientSecret(api.postgres, 'unknown', 60)).equal(undefined);
  });

  it('store no secret', async () => {
    const { clientId, clientSecret } = await api.client(1);
    const [hash] = await readClientSecretHashes(api.postgres, clientId);
    expect(hash).length(32);
    const { rows } = await api.postgres.query(
      'SELECT clients::text, client_secrets::text FROM clients JOIN client_secrets USING (client_id)',
    );
    expect(JSON.stringify(rows)).not.contain(clientSecret);
    const listed = (await listClients(api.postgres)).find((client) => client.clientId === clientId);
    expect(listed).deep.include({ clientId, networkIds: [1], revokedAt: null });
    expect(JSON.stringify(listed)).not.contain(clientSecret);
  });

  it('keep an old public key until its tokens have expired, and delete its private key', async () => {
    const { token, clientId, clientSecret } = await api.client(1);
    const databaseTime = async () => {
      const { rows } = await api.postgres.query<{ seconds: number }>(
        'SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds',
      );
      return rows[0]!.seconds;
    };
    const before = await databaseTime();
    await rotateSigningKey(api.postgres, secretSealer);
    const after = await databaseTime();
    // The other process has not read the old key yet, nor this one the new key.
    const other = await startSecondQueryApi(api);
    const first = (await (
      await requestToken(other, { grant_type, client_id: clientId, client_secret: clientSecret })
    ).json()) as { access_token: string };
    const [oldKid, newKid] = [token, first.access_token].map((text) => decodeProtectedHeader(text).kid);
    expect(oldKid).not.equal(newKid);
    for (const system of [api, other])
      for (const text of [token, first.access_token])
        expect((await system.get(anyReport, bearer(text))).status).equal(200);
    const jwks = (await (await fetch(`${other.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    expect(jwks.keys.map(({ kid }) => kid)).deep.equal([newKid, oldKid]);
    const { rows } = await api.postgres.query<{ kept: boolean; until: number }>(
      `SELECT sealed_private_jwk IS NOT NULL AS kept, extract(epoch FROM public_until)::float8 AS until
       FROM signing_keys WHERE public_until IS NOT NULL`,
    );
    expect(rows[0]?.kept).equal(false);
    expect(rows[0]?.until).within(before + 900, after + 1_000);
    await other.close();
  });

  it('create one key when several processes start at once', async () => {
    const first = await startTestQueryApi();
    const others = await Promise.all(Array.from({ length: 4 }, () => startSecondQueryApi(first)));
    const kids = await Promise.all(
      [first, ...others].map(async ({ url }) => {
        const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
        return keys.map(({ kid }) => kid).join();
      }),
    );
    expect(new Set(kids).size).equal(1);
    for (const system of [...others, first]) await system.close();
  });
});

/** A second query-api with the same PostgreSQL database. */
const startSecondQueryApi = async ({ postgres }: TestQueryApi): Promise<TestQueryApi> => {
  const second = await startTestQueryApi({ postgres });
  await second.register([{ id: 1, name: 'One' }]);
  return second;
};
