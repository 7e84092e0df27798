import { expect } from 'chai';
import { createApiKey } from '@popsvc/http-kit/auth';
import { revokeApiKey } from '@popsvc/platform/postgres';
import { waitUntil } from '@popsvc/tools/rig';
import sinon from 'sinon';
import { startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { register } from './registry.fixture.ts';
import { expectApiError, play, popPath, sender } from './sender.fixture.ts';

const body = () => ({ events: [play()] });

describe('command-api: authentication', () => {
  let api: TestCommandApi;
  let apiKey: string;
  before(async () => {
    api = await commandApi();
    ({ apiKey } = await api.newKey());
  });
  after(() => api.close());

  it('accepts the key as X-API-Key and as a bearer token', async () => {
    expect(apiKey).to.match(/^acme_sk_[0-9A-Za-z]{36}$/);
    for (const headers of [
      { 'X-API-Key': apiKey },
      { Authorization: `Bearer ${apiKey}` },
      { authorization: `bearer ${apiKey}` },
    ])
      expect((await sender(api.baseUrl)(popPath, body(), { headers })).status).to.equal(202);
  });

  it('responds 401 without a credential, with a challenge that names no error', async () => {
    const reply = await sender(api.baseUrl)(popPath, body());
    expectApiError(reply, 401, 'UNAUTHORIZED', []);
    expect(reply.headers.get('www-authenticate')).to.equal('Bearer realm="popsvc"');
  });

  const jwt = 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJjIn0.c2lnbmF0dXJl';
  const wrong: readonly (readonly [string, (key: string) => Record<string, string>])[] = [
    ['an unknown key', () => ({ 'X-API-Key': `acme_sk_${'A'.repeat(36)}` })],
    [
      'a key with one character changed',
      (key) => ({ 'X-API-Key': key.slice(0, -1) + (key.endsWith('0') ? '1' : '0') }),
    ],
    ['the key of another vendor name', (key) => ({ 'X-API-Key': key.replace('acme', 'acne') })],
    ['an empty key', () => ({ 'X-API-Key': '' })],
    ['a key with a space', (key) => ({ 'X-API-Key': `${key} x` })],
    ['a client token', () => ({ Authorization: `Bearer ${jwt}` })],
    ['a client token as X-API-Key', () => ({ 'X-API-Key': jwt })],
    ['basic credentials', () => ({ Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` })],
    ['a bearer header in three parts', (key) => ({ Authorization: `Bearer ${key} ${key}` })],
    ['a bearer header without a token', () => ({ Authorization: 'Bearer' })],
    ['two credentials', (key) => ({ 'X-API-Key': key, Authorization: `Bearer ${key}` })],
    ['the operator token', () => ({ Authorization: 'Bearer operator-token-of-tests' })],
  ];
  for (const [what, headers] of wrong)
    it(`responds 401 to ${what}`, async () => {
      const reply = await sender(api.baseUrl)(popPath, body(), { headers: headers(apiKey) });
      expectApiError(reply, 401, 'UNAUTHORIZED', []);
      expect(reply.headers.get('www-authenticate')).to.match(/^Bearer realm="popsvc", error="invalid_(token|request)"/);
      expect(JSON.stringify(reply.body)).to.not.include(apiKey.slice(-30));
    });

  it('ignores a credential in the query', async () => {
    expectApiError(
      await sender(api.baseUrl)(popPath, body(), { query: `?access_token=${apiKey}` }),
      401,
      'UNAUTHORIZED',
    );
  });

  it('rejects an unknown caller before it reads the body', async () => {
    const reply = await sender(api.baseUrl)(popPath, '{"events": not even JSON');
    expectApiError(reply, 401, 'UNAUTHORIZED');
  });

  it('responds 401 to keys of retired vendors and networks until these are registered again', async () => {
    const network = { id: 8, name: 'Eighth', timezone: 'Europe/London' };
    const vendor = { code: 'eight', name: 'Eight', network: 8 };
    const { send } = await api.newKey(8, 'eight');
    const push = () => send(popPath, body());
    const waitForStatus = async (expected: number) =>
      (await waitUntil(push, ({ status }) => status === expected)).body.message;
    await register(api.store, 'networks', network);
    await register(api.store, 'vendors', vendor);
    await waitForStatus(202);
    await register(api.store, 'vendors', { ...vendor, retired: true }, 'Retired');
    expect(await waitForStatus(401)).to.equal(
      'Vendor eight is retired, so its API keys are not valid. Ask your operator.',
    );
    await register(api.store, 'vendors', vendor);
    await waitForStatus(202);
    await register(api.store, 'networks', { ...network, retired: true }, 'Retired');
    expect(await waitForStatus(401)).to.equal(
      'Network 8 is retired, so its API keys are not valid. Ask your operator.',
    );
  });

  it('takes the vendor and the network from the key', async () => {
    const { send } = await api.newKey(7, 'other');
    const { body: answer } = await send(popPath, body());
    const day = answer.acceptedAt!.slice(0, 10).replaceAll('-', '');
    expect(await api.items(`pop-7.other.${day}`)).to.have.length(1);
  });

  it('rejects a key from the moment it expires', async () => {
    const clock = sinon.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
    try {
      const expiresAt = new Date(Date.now() + 60_000);
      const { apiKey: brief } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1, expiresAt });
      const send = sender(api.baseUrl, brief);
      for (const ms of [0, 59_999]) {
        clock.tick(ms);
        expect((await send(popPath, body())).status).to.equal(202);
      }
      clock.tick(1);
      expectApiError(await send(popPath, body()), 401, 'UNAUTHORIZED');
    } finally {
      clock.restore();
    }
  });

  it('stores only the hash and the first characters of a key', async () => {
    const { rows } = await api.postgres.query<{ text: string }>('SELECT api_keys::text AS text FROM api_keys');
    for (const { text } of rows) expect(text).to.not.include(apiKey.slice(13));
  });
});

describe('command-api: a revoked key', function () {
  it('is rejected soon by every process', async () => {
    const api = await commandApi();
    const [one, two] = await Promise.all([
      startCommandApi(api.node.url, api.databaseUrl),
      startCommandApi(api.node.url, api.databaseUrl),
    ]);
    try {
      const { apiKey, record } = await createApiKey(api.postgres, { vendor: 'acme', networkId: 1 });
      const senders = [one, two].map(({ baseUrl }) => sender(baseUrl, apiKey));
      for (const send of senders) expect((await send(popPath, body())).status).to.equal(202);
      await revokeApiKey(api.postgres, record.id);
      for (const send of senders) {
        const reply = await waitUntil(
          () => send(popPath, body()),
          ({ status }) => status !== 202,
        );
        expectApiError(reply, 401, 'UNAUTHORIZED');
      }
    } finally {
      await Promise.all([one.stop(), two.stop()]);
      await api.close();
    }
  });
});
