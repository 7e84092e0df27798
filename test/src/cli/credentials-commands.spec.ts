import { expect } from 'chai';
import { startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { popsvcFor, runJson } from './popsvc.fixture.ts';

type Json = Readonly<Record<string, unknown>>;

describe('popsvc api-keys, clients, accounts and signing-keys', () => {
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestOps();
    await system.request('POST', '/registry', smallRegistry);
    popsvc = popsvcFor(system);
  });
  after(() => system.close());

  const json = <T = Json>(...args: string[]) => runJson<T>(popsvc, ...args);

  it('creates, lists and revokes API keys', async () => {
    const expires = '2999-01-01T00:00:00+01:00';
    const made = await json('api-keys', 'create', '--network', '1', '--vendor', 'acme', '--expires', expires);
    expect(made).to.have.all.keys('id', 'api_key', 'network_id', 'vendor');
    expect(made).to.include({ network_id: 1, vendor: 'acme' });
    expect(await system.acceptsKey(String(made['api_key']))).to.equal(true);
    const id = String(made['id']);
    const [listed] = await json<Json[]>('api-keys', 'list');
    expect(listed).to.include({
      id,
      network_id: 1,
      vendor: 'acme',
      expires_at: '2998-12-31T23:00:00.000Z',
      revoked_at: null,
    });
    expect((await json('api-keys', 'revoke', id))['revoked_at']).to.be.a('string');
  });

  it('sets the rate limits of an API key', async () => {
    const rates = ['--requests-per-second', '5', '--events-per-second', '300'];
    const { id } = await json('api-keys', 'create', '--network', '1', '--vendor', 'acme', ...rates);
    const listed = async () => (await json<Json[]>('api-keys', 'list')).find((key) => key['id'] === id);
    expect(await listed()).to.include({ requests_per_second: 5, events_per_second: 300 });
    await json('api-keys', 'rate', String(id), '--events-per-second', '400');
    expect(await listed()).to.include({ requests_per_second: 5, events_per_second: 400 });
    const { stdout } = await popsvc('api-keys', 'rate', String(id), '--requests-per-second', '6');
    expect(stdout).to.equal(`The key ${String(id)} may send 6 requests and 400 events a second.\n`);
  });

  it('creates, lists, changes and deletes accounts', async () => {
    const made = await json('accounts', 'create', 'jane', '--role', 'viewer');
    expect(made).to.include({ name: 'jane', role: 'viewer' });
    const { stdout } = await popsvc('accounts', 'reset-password', 'jane');
    expect(stdout).to.match(/^account {3}jane\nrole {6}viewer\npassword {2}[\w-]{24}\n/);
    expect(stdout).to.not.include(String(made['password']));
    expect((await popsvc('accounts', 'set-role', 'jane', 'admin')).stdout).to.equal(
      'The account jane has the role admin.\n',
    );
    const [listed, ...others] = await json<Json[]>('accounts', 'list');
    expect([listed?.['name'], listed?.['role'], others]).to.deep.equal(['jane', 'admin', []]);
    expect((await popsvc('accounts', 'delete', 'jane')).stdout).to.equal('The account jane is deleted.\n');
    const refused = await popsvc('accounts', 'create', 'jane', '--role', 'owner');
    expect([refused.code, refused.stderr]).to.deep.equal([1, refused.stderr.match(/^popsvc: role: .*\n.*/)?.[0]]);
    expect((await popsvc('accounts', 'list')).stdout).to.equal('There are no accounts.\n');
  });

  it('creates, lists, rotates and revokes clients', async () => {
    const made = await json('clients', 'create', '--networks', '1');
    expect(made).to.have.all.keys('client_id', 'client_secret', 'network_ids');
    const id = String(made['client_id']);
    const rotated = await json('clients', 'rotate', id);
    expect(rotated).to.have.all.keys('client_id', 'client_secret', 'network_ids');
    expect(rotated['client_secret']).not.to.equal(made['client_secret']);
    const ended = await popsvc('clients', 'rotate', id, '--overlap', '0');
    expect(ended.stdout).to.match(/ The previous secret is no longer valid\.\n$/);
    expect((await popsvc('clients', 'rotate', id)).stdout).to.match(/ The previous secret is valid until \d{4}-/);
    expect((await popsvc('clients', 'rotate', id, '--overlap', 'x')).code).to.equal(2);
    expect((await json<Json[]>('clients', 'list'))[0]).to.deep.include({ client_id: id, network_ids: [1] });
    expect((await json('clients', 'revoke', id))['revoked_at']).to.be.a('string');
  });

  it('rotates and lists signing keys', async () => {
    expect((await popsvc('signing-keys', 'list')).stdout).to.equal('No token has been issued yet.\n');
    const [first] = await json<Json[]>('signing-keys', 'rotate');
    const keys = await json<Json[]>('signing-keys', 'rotate');
    expect(keys.map(({ kid }) => kid)[1]).to.equal(first!['kid']);
    expect((await popsvc('signing-keys', 'list')).stdout).to.match(/^KID +ALGORITHM/);
    expect(await json<Json[]>('signing-keys', 'rotate', '--end-tokens')).to.have.length(1);
  });

  it('prints a key once and lists keys without it', async () => {
    const { stdout } = await popsvc('api-keys', 'create', '--network', '1', '--vendor', 'acme');
    const key = /^acme_sk_\w+/.exec(stdout)?.[0];
    expect(key).to.be.a('string');
    const list = await popsvc('api-keys', 'list');
    expect(list.stdout)
      .to.match(/^ID +PREFIX +NETWORK_ID/)
      .and.not.to.include(key);
  });

  it('prints the reason of a rejection and exits with 1', async () => {
    for (const [args, reason] of [
      [
        ['api-keys', 'create', '--network', '1', '--vendor', 'unknown'],
        'vendor: there is no vendor unknown in network 1',
      ],
      [['api-keys', 'revoke', 'nothing'], 'There is no API key with this id.'],
      [['api-keys', 'rate', 'nothing'], 'There is no API key with this id.'],
      [['clients', 'create', '--networks', '1,2'], 'networks[1]: there is no network 2'],
      [['clients', 'rotate', 'unknown'], 'There is no client with this id, or it was revoked.'],
    ] as const) {
      const { code, stdout, stderr } = await popsvc(...args);
      expect([code, stdout, stderr.trim()]).to.deep.equal([1, '', `popsvc: ${reason}`]);
    }
  });
});
