import { rotateSigningKey } from '@popsvc/platform/auth/tokens';
import { listSigningKeys } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { bearer, type Client, openWorld, type World } from '../query-api/world.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { anyReport, askToken, type TokenBody } from './token-requests.fixture.ts';

/** Processes of the service over the same records; each remembers keys for itself. */
describe('the keys that sign tokens', () => {
  let world: World;
  let other: World;
  let client: Client;
  before(async () => {
    world = await openWorld();
    other = await openWorld({ postgres: world.postgres });
    for (const system of [world, other]) await system.register([{ id: 1, name: 'One' }]);
    client = await world.client(1);
  });
  after(async () => {
    await other.close();
    await world.close();
  });

  const tokenOf = async (system: World): Promise<string> => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    const answer = await askToken(system, { grant_type: 'client_credentials', client_id, client_secret });
    return ((await answer.json()) as TokenBody).access_token;
  };
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const status = async (system: World, token: string) => (await system.get(anyReport, bearer(token))).status;
  const publishedBy = async ({ url }: World) => {
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };

  it('are replaced when they are 30 days old, by one process, and all agree', async () => {
    const before = await tokenOf(world);
    await world.postgres.query(
      `UPDATE signing_keys SET created_at = now() - interval '30 days' WHERE public_until IS NULL`,
    );
    const fresh = await Promise.all([openBeside(), openBeside(), openBeside()]);
    const tokens = await Promise.all(fresh.map(tokenOf));
    expect(new Set(tokens.map(kidOf)).size).equal(1);
    expect(kidOf(tokens[0]!)).not.equal(kidOf(before));
    for (const system of [world, other, ...fresh])
      for (const token of [before, ...tokens]) expect(await status(system, token)).equal(200);
    for (const system of fresh) {
      expect(await publishedBy(system)).deep.equal([kidOf(tokens[0]!), kidOf(before)]);
      await system.close();
    }
  });

  it('are known at once to a process that looked a moment before', async () => {
    for (let round = 0; round < 3; round++) {
      // The other has just looked which keys there are, for a token of a key nobody has.
      await other.get(anyReport, bearer(unknownKey()));
      expect(await rotateSigningKey(world.postgres)).equal(true);
      const fresh = await openBeside();
      const token = await tokenOf(fresh);
      expect(await status(other, token), `round ${round}`).equal(200);
      await fresh.close();
    }
  });

  it('nobody has are looked for a few times a second, however many tokens name them', async () => {
    let questions = 0;
    const { postgres } = world;
    const counting = new Proxy(postgres, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target) as unknown;
        return (asked: unknown, ...more: unknown[]) => {
          const text = typeof asked === 'string' ? asked : (asked as { text: string }).text;
          if (text.includes('public_jwk')) questions++;
          return (target.query as (...all: unknown[]) => unknown).call(target, asked, ...more);
        };
      },
    });
    const system = await openWorld({ postgres: counting });
    await system.register([{ id: 1, name: 'One' }]);
    const began = performance.now();
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 50 }, async () => expect(await status(system, unknownKey())).equal(401)));
    const seconds = (performance.now() - began) / 1_000;
    expect(questions).below(3 + seconds * 11);
    await system.close();
  });

  it('end with all their tokens within 5 s when an operator says so, in every process', async function () {
    this.timeout(20_000);
    const tokens = [await tokenOf(world), await tokenOf(other)];
    for (const system of [world, other]) for (const token of tokens) expect(await status(system, token)).equal(200);
    expect(await rotateSigningKey(world.postgres, { endTokens: true })).equal(true);
    const endedAt = performance.now();
    for (const system of [world, other])
      for (const token of tokens)
        await waitUntil(
          () => status(system, token),
          (seen) => seen === 401,
        );
    expect(performance.now() - endedAt).below(5_000);
    expect((await listSigningKeys(world.postgres)).length).equal(1);
    for (const system of [world, other]) {
      const token = await tokenOf(system);
      expect(await publishedBy(system)).deep.equal([kidOf(token)]);
      expect([await status(world, token), await status(other, token)]).deep.equal([200, 200]);
    }
  });

  it('are rotated once when two ask at the same moment', async () => {
    const before = (await listSigningKeys(world.postgres)).length;
    const done = await Promise.all([rotateSigningKey(world.postgres), rotateSigningKey(world.postgres)]);
    expect((await listSigningKeys(world.postgres)).length - before).equal(done.filter(Boolean).length);
    expect(done).include(true);
  });

  const openBeside = async (): Promise<World> => {
    const beside = await openWorld({ postgres: world.postgres });
    await beside.register([{ id: 1, name: 'One' }]);
    return beside;
  };

  /** Of our form, with a key id that is nobody's. */
  let counted = 0;
  const unknownKey = (): string => {
    const [, body, signature] = client.token.split('.');
    const header = { alg: 'ES256', typ: 'at+jwt', kid: `nobody-${counted++}` };
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), body, signature].join('.');
  };
});
