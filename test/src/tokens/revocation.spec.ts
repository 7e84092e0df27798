import { setTimeout as sleep } from 'node:timers/promises';
import { rotateClientSecret, rotateSigningKey } from '@popsvc/platform/auth/tokens';
import { readClientSecretHashes, listClients, revokeClient } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { bearer, openWorld, type World } from '../query-api/world.fixture.ts';
import { anyReport, askToken } from './token-requests.fixture.ts';

const grant_type = 'client_credentials';

describe('clients and signing keys', () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    await world.register([{ id: 1, name: 'One' }]);
  });
  after(() => world.close());
  const status = async (token: string) => (await world.get(anyReport, bearer(token))).status;
  const tokenStatus = async (client_id: string, client_secret: string) =>
    (await askToken(world, { grant_type, client_id, client_secret })).status;

  it('refuse the tokens of a revoked client within 5 s, also those just used', async function () {
    this.timeout(15_000);
    const [gone, stays] = [await world.client(1), await world.client(1)];
    expect([await status(gone.token), await status(stays.token)]).deep.equal([200, 200]);
    await revokeClient(world.postgres, gone.clientId);
    const revokedAt = performance.now();
    while ((await status(gone.token)) === 200 && performance.now() - revokedAt < 8_000) await sleep(100);
    expect(performance.now() - revokedAt).below(5_000);
    expect([await status(gone.token), await status(stays.token)]).deep.equal([401, 200]);
    expect(await tokenStatus(gone.clientId, gone.clientSecret)).equal(401);
  });

  it('take the old and the new secret of a client for a while', async () => {
    const { clientId, clientSecret } = await world.client(1);
    const second = await rotateClientSecret(world.postgres, clientId, 60);
    expect(await tokenStatus(clientId, clientSecret)).equal(200);
    expect(await tokenStatus(clientId, second?.clientSecret ?? '')).equal(200);
    const third = await rotateClientSecret(world.postgres, clientId, 1);
    expect(await tokenStatus(clientId, clientSecret), 'the first of three').equal(401);
    expect(await tokenStatus(clientId, second?.clientSecret ?? ''), 'the second of three').equal(200);
    await sleep(1_100);
    expect(await tokenStatus(clientId, second?.clientSecret ?? ''), 'the second, late').equal(401);
    expect(await tokenStatus(clientId, third?.clientSecret ?? '')).equal(200);
    expect(await rotateClientSecret(world.postgres, 'nobody', 60)).equal(undefined);
  });

  it('keep no secret', async () => {
    const { clientId, clientSecret } = await world.client(1);
    const [hash] = await readClientSecretHashes(world.postgres, clientId);
    expect(hash).length(32);
    const { rows } = await world.postgres.query(
      'SELECT clients::text, client_secrets::text FROM clients JOIN client_secrets USING (client_id)',
    );
    expect(JSON.stringify(rows)).not.contain(clientSecret);
    const listed = (await listClients(world.postgres)).find((client) => client.clientId === clientId);
    expect(listed).deep.include({ clientId, networkIds: [1], revokedAt: null });
    expect(JSON.stringify(listed)).not.contain(clientSecret);
  });

  it('keep the old public key until its tokens have expired, and its private key not at all', async () => {
    const { token, clientId, clientSecret } = await world.client(1);
    await rotateSigningKey(world.postgres);
    // Another process knows nothing yet of the old key, nor this one of the new.
    const other = await openWorldBeside(world);
    const fresh = (await (
      await askToken(other, { grant_type, client_id: clientId, client_secret: clientSecret })
    ).json()) as { access_token: string };
    const [oldKid, newKid] = [token, fresh.access_token].map((text) => decodeProtectedHeader(text).kid);
    expect(oldKid).not.equal(newKid);
    for (const system of [world, other])
      for (const text of [token, fresh.access_token])
        expect((await system.get(anyReport, bearer(text))).status).equal(200);
    const jwks = (await (await fetch(`${other.url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    expect(jwks.keys.map(({ kid }) => kid)).deep.equal([newKid, oldKid]);
    const { rows } = await world.postgres.query<{ kept: boolean; seconds: number }>(
      `SELECT private_jwk IS NOT NULL AS kept, extract(epoch FROM public_until - now())::float8 AS seconds
       FROM signing_keys WHERE public_until IS NOT NULL`,
    );
    expect(rows[0]?.kept).equal(false);
    expect(rows[0]?.seconds).within(900, 1_000);
    await other.close();
  });

  it('make one key when several processes start at once', async () => {
    const fresh = await openWorld();
    const others = await Promise.all(Array.from({ length: 4 }, () => openWorldBeside(fresh)));
    const kids = await Promise.all(
      [fresh, ...others].map(async ({ url }) => {
        const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
        return keys.map(({ kid }) => kid).join();
      }),
    );
    expect(new Set(kids).size).equal(1);
    for (const system of [...others, fresh]) await system.close();
  });
});

/** Another process of the service, over the same records. */
const openWorldBeside = async ({ postgres }: World): Promise<World> => {
  const beside = await openWorld({ postgres });
  await beside.register([{ id: 1, name: 'One' }]);
  return beside;
};
