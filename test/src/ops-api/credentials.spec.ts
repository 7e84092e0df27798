import { authenticateClient } from '@popsvc/http-kit/auth/tokens';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, runningProjection, type TestOps } from './ops.fixture.ts';
import { codeOf, pathsOf } from './registry.fixture.ts';

// cspell:ignore acma netwrok

type Body = Readonly<Record<string, string>>;

describe('credentials of /ops/v1', () => {
  let system: TestOps;
  before(async () => {
    system = await startTestOps();
    await system.request('POST', '/registry', smallRegistry);
    await system.request('POST', '/registry', {
      networks: [{ id: 9, name: 'Closed', timezone: 'UTC', retired: true }],
      vendors: [{ code: 'gone', name: 'Gone', network: 1, retired: true }],
    });
  });
  after(() => system.close());

  describe('API keys', () => {
    it('are shown once, are listed without the key, and are rejected soon after their revocation', async () => {
      const made = await system.request('POST', '/api-keys', { network: 1, vendor: 'acme', name: 'till' });
      const { id, api_key: key } = made.body as Body;
      expect(made).to.deep.equal({ status: 201, body: { id, api_key: key, network_id: 1, vendor: 'acme' } });
      expect(key).to.match(/^acme_sk_[0-9A-Za-z]{36}$/);
      expect(await system.acceptsKey(key!)).to.equal(true);

      const list = (await system.request('GET', '/api-keys')).body as object[];
      expect(JSON.stringify(list)).not.to.contain(key);
      expect(list.find((entry) => (entry as Body)['id'] === id)).to.deep.include({
        network_id: 1,
        vendor: 'acme',
        name: 'till',
        prefix: key!.slice(0, 12),
        revoked_at: null,
      });

      const revoked = await system.request('DELETE', `/api-keys/${id!}`);
      expect(revoked.status).to.equal(200);
      expect((revoked.body as Body)['revoked_at']).to.be.a('string');
      await waitUntil(
        () => system.acceptsKey(key!),
        (isAccepted) => !isAccepted,
      );
      expect((await system.request('DELETE', `/api-keys/${id!}`)).body).to.deep.equal(revoked.body);
    });

    it('have the default rates, their own rates, or the default rates again', async () => {
      const made = await system.request('POST', '/api-keys', { network: 1, vendor: 'acme', requests_per_second: 7 });
      const { id } = made.body as Body;
      const list = (await system.request('GET', '/api-keys')).body as Body[];
      const standard = { requests_per_second: 2_000, events_per_second: 100_000 };
      expect(list.find((key) => key['id'] === id)).to.include({ ...standard, requests_per_second: 7 });
      const setRates = (body: object) => system.request('PUT', `/api-keys/${id!}/rates`, body);
      expect((await setRates({ events_per_second: 9 })).body).to.include({
        requests_per_second: 7,
        events_per_second: 9,
      });
      const both = { requests_per_second: null, events_per_second: null };
      expect((await setRates(both)).body).to.include(standard);
      for (const body of [{ requests_per_second: 0 }, { events_per_second: 1.5 }, { event_per_second: 1 }])
        expect((await setRates(body)).status).to.equal(400);
      expect((await system.request('PUT', '/api-keys/unknown/rates', {})).status).to.equal(404);
    });

    it('are rejected after they expire', async () => {
      const clock = sinon.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
      try {
        const expires = new Date(Date.now() + 60_000).toISOString();
        const made = await system.request('POST', '/api-keys', { network: 1, vendor: 'acme', expires });
        const { api_key: key } = made.body as Body;
        clock.tick(59_999);
        expect(await system.acceptsKey(key!)).to.equal(true);
        clock.tick(1);
        expect(await system.acceptsKey(key!)).to.equal(false);
      } finally {
        clock.restore();
      }
    });

    for (const [what, body, ...paths] of [
      ['an unknown network', { network: 3, vendor: 'acme' }, 'network'],
      ['a retired network', { network: 9, vendor: 'acme' }, 'network'],
      ['an unknown vendor', { network: 1, vendor: 'acma' }, 'vendor'],
      ['a retired vendor', { network: 1, vendor: 'gone' }, 'vendor'],
      ['an expiry in the past', { network: 1, vendor: 'acme', expires: '2026-01-01T00:00:00Z' }, 'expires'],
      ['an expiry without offset', { network: 1, vendor: 'acme', expires: '2999-01-01T00:00:00' }, 'expires'],
      ['missing fields', {}, 'network', 'vendor'],
      ['an unknown field', { network: 1, vendor: 'acme', netwrok: 1 }, 'netwrok'],
    ] as const)
      it(`are not created for ${what}`, async () => {
        const reply = await system.request('POST', '/api-keys', body);
        expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST']);
        expect(pathsOf(reply)).to.deep.equal(paths);
      });

    it('cannot be revoked if they do not exist', async () => {
      const reply = await system.request('DELETE', '/api-keys/nothing');
      expect([reply.status, codeOf(reply)]).to.deep.equal([404, 'NOT_FOUND']);
    });
  });

  describe('clients', () => {
    it('get a secret, can rotate it, and can be revoked', async () => {
      const made = await system.request('POST', '/clients', { networks: [1], name: 'agency' });
      const { client_id: id, client_secret: first } = made.body as Body;
      expect(made).to.deep.equal({ status: 201, body: { client_id: id, client_secret: first, network_ids: [1] } });
      const rotated = await system.request('POST', `/clients/${id!}/rotate`);
      const { client_secret: second } = rotated.body as Body;
      expect(rotated).to.deep.equal({ status: 200, body: { client_id: id, client_secret: second, network_ids: [1] } });
      for (const secret of [first!, second!])
        expect(await authenticateClient(system.postgres, id!, secret)).to.deep.include({
          clientId: id,
          networkIds: [1],
        });

      const ended = await system.request('POST', `/clients/${id!}/rotate?overlap_seconds=0`);
      const { client_secret: third } = ended.body as Body;
      expect(await authenticateClient(system.postgres, id!, second!), 'the previous secret, ended at once').to.equal(
        undefined,
      );
      expect(await authenticateClient(system.postgres, id!, third!)).to.deep.include({ clientId: id });
      for (const query of ['overlap_seconds=-1', 'overlap_seconds=2592001', 'overlap_seconds=x', 'overlap=0'])
        expect((await system.request('POST', `/clients/${id!}/rotate?${query}`)).status).to.equal(400);

      const list = (await system.request('GET', '/clients')).body as Body[];
      expect(JSON.stringify(list)).not.to.contain(second);
      expect(list.find((client) => client['client_id'] === id)).to.deep.include({ name: 'agency', revoked_at: null });

      expect((await system.request('DELETE', `/clients/${id!}`)).status).to.equal(200);
      expect(await authenticateClient(system.postgres, id!, third!)).to.equal(undefined);
      expect((await system.request('POST', `/clients/${id!}/rotate`)).status).to.equal(404);
    });

    for (const [what, body, ...paths] of [
      ['no network', { networks: [] }, 'networks'],
      ['a network twice', { networks: [1, 1] }, 'networks'],
      ['every unknown network', { networks: [1, 3, 9] }, 'networks[1]', 'networks[2]'],
      ['a network that is no number', { networks: ['1'] }, 'networks[0]'],
    ] as const)
      it(`are not created for ${what}`, async () => {
        const reply = await system.request('POST', '/clients', body);
        expect([reply.status, codeOf(reply)]).to.deep.equal([400, 'INVALID_REQUEST']);
        expect(pathsOf(reply)).to.deep.equal(paths);
      });
  });

  it('lists signing keys without the private part, and rotates them', async () => {
    const first = (await system.request('POST', '/signing-keys/rotate')).body as Body[];
    const second = (await system.request('POST', '/signing-keys/rotate?end_tokens=false')).body as Body[];
    expect(second[0]).to.have.all.keys('kid', 'algorithm', 'created_at', 'public_until');
    expect(second[0]).to.include({ algorithm: 'ES256', public_until: null });
    expect(second[1]).to.include({ kid: first[0]!['kid'] }).and.to.have.property('public_until').a('string');
    expect(await system.request('GET', '/signing-keys')).to.deep.equal({ status: 200, body: second });
    const third = (await system.request('POST', '/signing-keys/rotate?end_tokens=true')).body as Body[];
    expect(third.length).to.equal(1);
    expect((await system.request('POST', '/signing-keys/rotate?end_tokens=1')).status).to.equal(400);
  });

  it('lists the projections', async () => {
    expect(await system.request('GET', '/projections')).to.deep.equal({ status: 200, body: [runningProjection] });
  });
});
