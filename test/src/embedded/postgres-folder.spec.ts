import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '@popsvc/embedded/postgres';
import { choosePort } from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { createSandbox } from 'sinon';
import { temporaryFolder } from '@popsvc/tools/rig';
import { fromNpm, query, refusal, start, stopServers } from './postgres-servers.fixture.ts';

describe('embedded PostgreSQL: its folder, port and password', () => {
  const sandbox = createSandbox();
  afterEach(async () => {
    sandbox.restore();
    await stopServers();
  });

  it('works behind a folder that is closed to others', async () => {
    const closed = join(await temporaryFolder('postgres'), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const { url } = await start(join(closed, 'postgres'), fromNpm);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    expect(statSync(closed).mode & 0o777).to.equal(0o700);
  });

  it('needs none of the programs of a system but the one that hands on a capability', async () => {
    const programs = await temporaryFolder('programs');
    symlinkSync('/usr/bin/setpriv', join(programs, 'setpriv'));
    sandbox.stub(process.env, 'PATH').value(programs);
    const { url } = await start(await temporaryFolder('postgres'), fromNpm);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('names the port that is taken and the variable that moves it', async () => {
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

  it('says at once when the password is not the one it was made with', async () => {
    const dir = await temporaryFolder('postgres');
    await (await start(dir, fromNpm)).stop();
    expect(await refusal(start(dir, fromNpm, 'another'))).to.contain('created with another password');
  });

  it('says which version a cluster of another version needs', async () => {
    const dir = await temporaryFolder('postgres');
    mkdirSync(join(dir, 'cluster'));
    writeFileSync(join(dir, 'cluster', 'PG_VERSION'), '9\n');
    expect(await refusal(start(dir, fromNpm))).to.match(/PostgreSQL 9 created .*this machine has PostgreSQL 18/);
  });

  it('leaves no half-made cluster behind', async () => {
    const dir = await temporaryFolder('postgres');
    mkdirSync(join(dir, 'cluster.unfinished'));
    writeFileSync(join(dir, 'cluster.unfinished', 'PG_VERSION'), '18\n');
    chmodSync(join(dir, 'cluster.unfinished'), 0o700);
    expect(await query((await start(dir, fromNpm)).url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('ends with nothing listening', async () => {
    const server = await start(await temporaryFolder('postgres'), fromNpm);
    await server.stop();
    expect(await choosePort(server.port, 'EMBEDDED_POSTGRES_PORT')).to.equal(server.port);
  });
});
