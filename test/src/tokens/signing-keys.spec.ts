import { rotateSigningKey } from '@popsvc/http-kit/auth/tokens';
import { listSigningKeys } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { bearer, type Client, startTestQueryApi, type TestQueryApi } from '../query-api/test-query-api.fixture.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { anyReport, requestToken, type TokenBody } from './token-requests.fixture.ts';
import { secretSealer } from '../support/test-sealer.ts';

/** Several instances of query-api with the same PostgreSQL database; each has its own cache of keys. */
describe('the keys that sign tokens', () => {
  let api: TestQueryApi;
  let other: TestQueryApi;
  let client: Client;
  before(async () => {
    api = await startTestQueryApi();
    other = await startTestQueryApi({ postgres: api.postgres });
    for (const system of [api, other]) await system.register([{ id: 1, name: 'One' }]);
    client = await api.client(1);
  });
  after(async () => {
    await other.close();
    await api.close();
  });

  const issueToken = async (system: TestQueryApi): Promise<string> => {
    const { clientId: client_id, clientSecret: client_secret } = client;
    const answer = await requestToken(system, { grant_type: 'client_credentials', client_id, client_secret });
    return ((await answer.json()) as TokenBody).access_token;
  };
  const kidOf = (token: string) => decodeProtectedHeader(token).kid;
  const status = async (system: TestQueryApi, token: string) => (await system.get(anyReport, bearer(token))).status;
  const publishedKeyIds = async ({ url }: TestQueryApi) => {
    const { keys } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };

  it('are replaced after 30 days by one process, and accepted by all', async () => {
    const before = await issueToken(api);
    await api.postgres.query(
      `UPDATE signing_keys SET created_at = now() - interval '30 days' WHERE public_until IS NULL`,
    );
    const fresh = await Promise.all([startAnother(), startAnother(), startAnother()]);
    const tokens = await Promise.all(fresh.map(issueToken));
    expect(new Set(tokens.map(kidOf)).size).equal(1);
    expect(kidOf(tokens[0]!)).not.equal(kidOf(before));
    for (const system of [api, other, ...fresh])
      for (const token of [before, ...tokens]) expect(await status(system, token)).equal(200);
    for (const system of fresh) {
      expect(await publishedKeyIds(system)).deep.equal([kidOf(tokens[0]!), kidOf(before)]);
      await system.close();
    }
  });

  it('are read at once by a process that read the keys a moment before', async () => {
    for (let round = 0; round < 3; round++) {
      // The other process has just read the keys, because of a token with an unknown key.
      await other.get(anyReport, bearer(unknownKey()));
      expect(await rotateSigningKey(api.postgres, secretSealer)).equal(true);
      const fresh = await startAnother();
      const token = await issueToken(fresh);
      expect(await status(other, token), `round ${round}`).equal(200);
      await fresh.close();
    }
  });

  it('that are unknown are looked up a few times a second, for any number of tokens', async () => {
    let lookups = 0;
    const { postgres } = api;
    const counting = new Proxy(postgres, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name, target) as unknown;
        return (query: unknown, ...more: unknown[]) => {
          const text = typeof query === 'string' ? query : (query as { text: string }).text;
          if (text.includes('public_jwk')) lookups++;
          return (target.query as (...all: unknown[]) => unknown).call(target, query, ...more);
        };
      },
    });
    const system = await startTestQueryApi({ postgres: counting });
    await system.register([{ id: 1, name: 'One' }]);
    const began = performance.now();
    for (let round = 0; round < 4; round++)
      await Promise.all(Array.from({ length: 50 }, async () => expect(await status(system, unknownKey())).equal(401)));
    const seconds = (performance.now() - began) / 1_000;
    expect(lookups).below(3 + seconds * 11);
    await system.close();
  });

  it('end soon with all their tokens in every process when an operator ends them', async function () {
    const tokens = [await issueToken(api), await issueToken(other)];
    for (const system of [api, other]) for (const token of tokens) expect(await status(system, token)).equal(200);
    expect(await rotateSigningKey(api.postgres, secretSealer, { endTokens: true })).equal(true);
    for (const system of [api, other])
      for (const token of tokens)
        await waitUntil(
          () => status(system, token),
          (seen) => seen === 401,
        );
    expect((await listSigningKeys(api.postgres)).length).equal(1);
    for (const system of [api, other]) {
      const token = await issueToken(system);
      expect(await publishedKeyIds(system)).deep.equal([kidOf(token)]);
      expect([await status(api, token), await status(other, token)]).deep.equal([200, 200]);
    }
  });

  it('are rotated once by two concurrent requests', async () => {
    const before = (await listSigningKeys(api.postgres)).length;
    const done = await Promise.all([
      rotateSigningKey(api.postgres, secretSealer),
      rotateSigningKey(api.postgres, secretSealer),
    ]);
    expect((await listSigningKeys(api.postgres)).length - before).equal(done.filter(Boolean).length);
    expect(done).include(true);
  });

  const startAnother = async (): Promise<TestQueryApi> => {
    const another = await startTestQueryApi({ postgres: api.postgres });
    await another.register([{ id: 1, name: 'One' }]);
    return another;
  };

  /** A token with an unknown key id. */
  let unknownKeys = 0;
  const unknownKey = (): string => {
    const [, body, signature] = client.token.split('.');
    const header = { alg: 'ES256', typ: 'at+jwt', kid: `unknown-${unknownKeys++}` };
    return [Buffer.from(JSON.stringify(header)).toString('base64url'), body, signature].join('.');
  };
});
