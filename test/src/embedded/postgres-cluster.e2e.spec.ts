import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@popsvc/embedded/postgres';
import { choosePort } from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { createSandbox } from 'sinon';
import { temporaryFolder } from '@popsvc/tools/rig';
import { fromNpm, query, refusal, start, stopServers } from './postgres-servers.fixture.ts';

describe('the cluster of the embedded PostgreSQL', () => {
  const sandbox = createSandbox();
  afterEach(async () => {
    sandbox.restore();
    await stopServers();
  });

  it('works inside a folder that other users cannot enter', async () => {
    const closed = join(await temporaryFolder('postgres'), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const { url } = await start(join(closed, 'postgres'), fromNpm);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    expect(statSync(closed).mode & 0o777).to.equal(0o700);
  });

  it('is in a folder that only its account enters, also if the folder was open', async () => {
    const dir = join(await temporaryFolder('postgres'), 'postgres');
    for (let round = 0; round < 2; round++) {
      await (await start(dir, fromNpm)).stop();
      const { mode, uid } = statSync(dir);
      expect([mode & 0o777, uid]).to.deep.equal([0o700, statSync(join(dir, 'cluster')).uid]);
      chmodSync(dir, 0o755);
    }
  });

  it('does not see the variables of the service', async () => {
    sandbox.stub(process, 'env').value({ ...process.env, POPSVC_ENCRYPTION_KEY: 'hidden-in-the-environment' });
    const server = await start(await temporaryFolder('postgres'), fromNpm);
    const environment = readFileSync(`/proc/${server.pid()}/environ`, 'latin1');
    expect(environment).to.include('PATH=').and.not.include('hidden-in-the-environment');
  });

  it('needs no program of the system except setpriv', async () => {
    const programs = await temporaryFolder('programs');
    symlinkSync('/usr/bin/setpriv', join(programs, 'setpriv'));
    sandbox.stub(process.env, 'PATH').value(programs);
    const { url } = await start(await temporaryFolder('postgres'), fromNpm);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('names a port in use and the variable that changes it', async () => {
    const { port } = await start(await temporaryFolder('postgres'), fromNpm);
    const second = startPostgres({
      dataDir: await temporaryFolder('postgres'),
      port,
      password: 'x',
      binaries: fromNpm,
    });
    expect(await refusal(second))
      .to.contain(`port ${port} is already in use`)
      .and.to.contain('EMBEDDED_POSTGRES_PORT');
  });

  it('is refused at once with another password than at its creation', async () => {
    const dir = await temporaryFolder('postgres');
    await (await start(dir, fromNpm)).stop();
    expect(await refusal(start(dir, fromNpm, 'another'))).to.contain('created with another password');
  });

  it('is refused with the version of PostgreSQL that it needs', async () => {
    const dir = await temporaryFolder('postgres');
    mkdirSync(join(dir, 'cluster'));
    writeFileSync(join(dir, 'cluster', 'PG_VERSION'), '9\n');
    expect(await refusal(start(dir, fromNpm))).to.match(/PostgreSQL 9 created .*this machine has PostgreSQL 18/);
  });

  it('replaces a cluster whose creation was interrupted', async () => {
    const dir = await temporaryFolder('postgres');
    mkdirSync(join(dir, 'cluster.unfinished'));
    writeFileSync(join(dir, 'cluster.unfinished', 'PG_VERSION'), '18\n');
    chmodSync(join(dir, 'cluster.unfinished'), 0o700);
    expect(await query((await start(dir, fromNpm)).url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('frees its port when the server stops', async () => {
    const server = await start(await temporaryFolder('postgres'), fromNpm);
    await server.stop();
    expect(await choosePort(server.port, 'EMBEDDED_POSTGRES_PORT')).to.equal(server.port);
  });
});
