import { setTimeout as sleep } from 'node:timers/promises';
import { type PostgresBinaries } from '@popsvc/embedded/postgres';
import { expect } from 'chai';
import { temporaryFolder } from '@popsvc/tools/rig';
import { describeIfInstalled } from '../support/run-conditions.ts';
import { found, fromNpm, ofTheMachine, query, refusal, start, stopServers } from './postgres-servers.fixture.ts';

/** Tests that hold for each installation. */
const describeServer = (binaries: readonly PostgresBinaries[]): void => {
  afterEach(stopServers);

  it('creates a cluster for the role of the service and opens it again', async () => {
    const dir = await temporaryFolder('postgres');
    const first = await start(dir, binaries);
    const [session] = await query(
      first.url,
      `SELECT current_user AS role, current_database() AS database, rolsuper AS super,
        current_setting('TimeZone') AS zone, current_setting('fsync') AS fsync,
        current_setting('listen_addresses') AS listens, current_setting('server_encoding') AS encoding
       FROM pg_roles WHERE rolname = current_user`,
    );
    expect(session).to.deep.equal({
      role: 'popsvc',
      database: 'popsvc',
      super: false,
      zone: 'UTC',
      fsync: 'on',
      listens: '127.0.0.1',
      encoding: 'UTF8',
    });
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS number');
    await first.stop();
    expect(await query((await start(dir, binaries)).url, 'SELECT number FROM kept')).to.deep.equal([{ number: 7 }]);
  });

  it('refuses a wrong password and access to the machine', async () => {
    const { url } = await start(await temporaryFolder('postgres'), binaries);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    expect(await refusal(query(wrong.href, 'SELECT 1'))).to.contain('password authentication failed');
    expect(await refusal(query(url, "SELECT pg_read_file('/etc/passwd')"))).to.contain('permission denied');
    expect(await refusal(query(url, "COPY (SELECT 1) TO PROGRAM 'true'"))).to.match(/denied|superuser/);
  });

  it('restarts after a kill with all committed rows', async () => {
    const server = await start(await temporaryFolder('postgres'), binaries);
    await query(server.url, 'CREATE TABLE kept (number int)');
    await query(server.url, 'INSERT INTO kept SELECT generate_series(1, 500)');
    const killed = server.pid();
    process.kill(killed ?? 0, 'SIGKILL');
    let rows: unknown;
    for (let tries = 0; tries < 100 && rows === undefined; tries += 1) {
      await sleep(100);
      rows = await query(server.url, 'SELECT count(*)::int AS n FROM kept').catch(() => undefined);
    }
    expect(rows).to.deep.equal([{ n: 500 }]);
    expect(server.pid()).to.not.equal(killed);
  });
};

describe('embedded PostgreSQL from npm', () => {
  describeServer(fromNpm);

  it('is installed', () => expect(fromNpm).to.have.length(1));
});

describeIfInstalled('postgres', ofTheMachine.length > 0, 'embedded PostgreSQL of the machine', () => {
  describeServer(ofTheMachine);

  it('precedes the one from npm', () => expect(found[0]).to.equal(ofTheMachine[0]));
});
