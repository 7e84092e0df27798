import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEventStore } from '@popsvc/platform/event-store';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import {
  certificateProgram,
  hasCertificates,
  type ServerWithLogins,
  startServerWithLogins,
} from '../event-store/server-with-logins.fixture.ts';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { popsvcInProcess } from './popsvc.fixture.ts';

const list = ['$admins', 'popsvc'];
const granted = { $userStreamAcl: { $r: list, $w: list, $mr: list }, $systemStreamAcl: { $r: list } };

describe('popsvc eventstore url', () => {
  it('prints the connection string of EVENTSTORE_URL', async () => {
    const url = 'esdb://popsvc:secret@a:2113,b?tls=true';
    const popsvc = popsvcInProcess({ EVENTSTORE_URL: url });
    expect(await popsvc('eventstore', 'url')).to.deep.equal({ code: 0, stdout: `${url}\n`, stderr: '' });
    const { stdout } = await popsvc('eventstore', 'url', '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ url, hosts: ['a:2113', 'b:2113'], login: 'popsvc' });
  });

  it('prints the address of the embedded event store of a service on this machine', async () => {
    const folder = await temporaryFolder('operator');
    const url = 'esdb://127.0.0.1:2113?tls=false';
    writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ event_store: url }));
    expect((await popsvcInProcess({ DATA_DIR: folder })('eventstore', 'url')).stdout).to.equal(`${url}\n`);
    writeFileSync(join(folder, 'endpoints.json'), JSON.stringify({ event_store: 'external' }));
    const { code, stderr } = await popsvcInProcess({ DATA_DIR: folder })('eventstore', 'url');
    expect([code, stderr.includes('set EVENTSTORE_URL')]).to.deep.equal([1, true]);
  });

  it('names what is wrong with EVENTSTORE_URL, without its password', async () => {
    const popsvc = popsvcInProcess({ EVENTSTORE_URL: 'esdb://u:hidden@a,b:x' });
    const { code, stdout, stderr } = await popsvc('eventstore', 'url');
    expect([code, stdout, stderr]).to.deep.equal([
      1,
      '',
      'popsvc: EVENTSTORE_URL: the port of host 2 must be a number from 1 to 65535\n',
    ]);
  });
});

describe('popsvc eventstore grant, without a server', () => {
  for (const [title, env, args, code, message] of [
    ['refuses the embedded event store', {}, [], 1, 'The embedded event store has no logins'],
    ['refuses a server without TLS', { EVENTSTORE_URL: 'esdb://a?tls=false' }, ['x'], 1, 'has no logins'],
    [
      'names a missing CA file',
      { EVENTSTORE_URL: 'esdb://a?tlsCaFile=/nowhere/ca.crt', EVENTSTORE_ADMIN_PASSWORD: 'x' },
      ['popsvc'],
      1,
      'names a file that does not exist: /nowhere/ca.crt',
    ],
    ['requires an administrator', { EVENTSTORE_URL: 'esdb://a' }, ['popsvc'], 2, 'set EVENTSTORE_ADMIN_PASSWORD'],
    ['requires a login', { EVENTSTORE_URL: 'esdb://admin:x@a' }, [], 2, 'name the login'],
    [
      'requires the password of a login that it creates',
      { EVENTSTORE_URL: 'esdb://a', EVENTSTORE_ADMIN_PASSWORD: 'x' },
      ['popsvc', '--create'],
      2,
      '--create needs the login with its password',
    ],
  ] as const)
    it(title, async () => {
      const ended = await popsvcInProcess(env)('eventstore', 'grant', ...args);
      expect([ended.code, ended.stderr.includes(message)], ended.stderr).to.deep.equal([code, true]);
    });

  it('ends with code 1 if the server does not answer within the time', async () => {
    const env = { EVENTSTORE_URL: 'esdb://popsvc:x@127.0.0.1:1', EVENTSTORE_ADMIN_PASSWORD: 'x' };
    const ended = await popsvcInProcess(env)('eventstore', 'grant', '--wait', '1');
    expect([ended.code, ended.stderr.startsWith('popsvc: Nothing was granted: ')], ended.stderr).to.deep.equal([
      1,
      true,
    ]);
  });
});

describeIfInstalled(certificateProgram, hasCertificates, 'popsvc eventstore grant', function () {
  let server: ServerWithLogins;
  before(async function () {
    server = await startServerWithLogins();
  });
  after(() => server.close());

  const missingRights = async (url: string) => {
    const store = openEventStore({ url });
    try {
      return await store.findMissingRights();
    } finally {
      await store.close();
    }
  };

  it('creates the login, grants what the service lacks, and changes nothing the second time', async () => {
    const url = server.url('popsvc:a%3Ab');
    const popsvc = popsvcInProcess({ EVENTSTORE_URL: url, EVENTSTORE_ADMIN_PASSWORD: server.administratorPassword });
    const first = await popsvc('eventstore', 'grant', '--create', '--json');
    expect(first.stderr).to.equal('');
    expect(JSON.parse(first.stdout)).to.deep.equal({
      login: 'popsvc',
      created: true,
      changed: ['$userStreamAcl.$r', '$userStreamAcl.$w', '$userStreamAcl.$mr', '$systemStreamAcl.$r'],
      settings: granted,
    });
    expect(server.logins.get('popsvc')).to.equal('a:b');
    expect(await server.readSettings()).to.deep.equal([granted]);
    const second = await popsvc('eventstore', 'grant', '--create');
    expect(second).to.deep.equal({
      code: 0,
      stdout: 'popsvc has all rights already; nothing was changed\n',
      stderr: '',
    });
    expect(await server.readSettings()).to.have.length(1);
  });

  it('adds another login with the login of an administrator in the URL', async () => {
    const before = server.url('reports:x');
    const popsvc = popsvcInProcess({ EVENTSTORE_URL: server.url(`admin:${server.administratorPassword}`) });
    const { code, stdout } = await popsvc('eventstore', 'grant', 'reports');
    expect([code, stdout]).to.deep.equal([
      0,
      'reports may read $all, append to streams and read them\nadded to $userStreamAcl.$r, $userStreamAcl.$w, $userStreamAcl.$mr, $systemStreamAcl.$r in $settings\n',
    ]);
    expect(((await server.readSettings()).at(-1) as typeof granted).$systemStreamAcl.$r).to.deep.equal([
      '$admins',
      'popsvc',
      'reports',
    ]);
    expect(before).to.include('reports');
  });

  it('is what a login lacks, according to the adapter of the service', async () => {
    const popsvc = popsvcInProcess({
      EVENTSTORE_URL: server.url('late:secret'),
      EVENTSTORE_ADMIN_PASSWORD: server.administratorPassword,
    });
    const other = popsvcInProcess({
      EVENTSTORE_URL: server.url('late:secret'),
      EVENTSTORE_ADMIN_PASSWORD: 'a-wrong-password',
    });
    const refused = await other('eventstore', 'grant', '--create');
    expect([refused.code, refused.stderr.includes('the event store rejects the login')], refused.stderr).to.deep.equal([
      1,
      true,
    ]);
    expect(refused.stderr).to.not.include('a-wrong-password');
    expect(await missingRights(server.url())).to.deep.equal(['read-all']);
    expect((await popsvc('eventstore', 'grant', '--create')).code).to.equal(0);
    expect(await missingRights(server.url('late:secret'))).to.deep.equal([]);
  });
});
