import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBinaries, startPostgres, type Binaries, type Postgres } from '@popsvc/embedded/postgres';
import { choosePort } from '@popsvc/embedded/supervise';
import { expect } from 'chai';
import { Client } from 'pg';
import { room } from '../support/room.ts';
import { suiteNeeding } from '../support/suite-needing.ts';

const found = await findBinaries();
const fromNpm = found.filter(({ dir }) => dir.includes('node_modules'));
const ofTheMachine = found.filter(({ dir }) => !dir.includes('node_modules'));

const servers: Postgres[] = [];
const start = async (
  dataDir: string,
  binaries: readonly Binaries[],
  password = "it's: a/password",
): Promise<Postgres> => {
  const server = await startPostgres({ dataDir, port: 0, password, binaries });
  servers.push(server);
  return server;
};
const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};
const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'it was allowed',
    (error: unknown) => String(error),
  );

/** What holds for whatever installation is used. */
const behavesWell = (binaries: readonly Binaries[]): void => {
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });

  it('makes a cluster for the service’s own role and opens it again', async () => {
    const dir = await room('postgres');
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

  it('lets nobody in without the password, and nobody out to the machine', async () => {
    const { url } = await start(await room('postgres'), binaries);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    expect(await refusal(query(wrong.href, 'SELECT 1'))).to.contain('password authentication failed');
    expect(await refusal(query(url, "SELECT pg_read_file('/etc/passwd')"))).to.contain('permission denied');
    expect(await refusal(query(url, "COPY (SELECT 1) TO PROGRAM 'true'"))).to.match(/denied|superuser/);
  });

  it('comes back by itself with everything committed when it is killed', async () => {
    const server = await start(await room('postgres'), binaries);
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

describe('embedded PostgreSQL, from npm', () => {
  behavesWell(fromNpm);

  it('is there', () => expect(fromNpm).to.have.length(1));

  it('works behind a folder that is closed to others', async () => {
    const closed = join(await room('postgres'), 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const { url } = await start(join(closed, 'postgres'), fromNpm);
    expect(await query(url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    expect(statSync(closed).mode & 0o777).to.equal(0o700);
  });

  it('names the port that is taken and the variable that moves it', async () => {
    const { port } = await start(await room('postgres'), fromNpm);
    const second = startPostgres({ dataDir: await room('postgres'), port, password: 'x', binaries: fromNpm });
    expect(await refusal(second))
      .to.contain(`port ${port} is already in use`)
      .and.to.contain('EMBEDDED_POSTGRES_PORT');
  });

  it('says at once when the password is not the one it was made with', async () => {
    const dir = await room('postgres');
    await (await start(dir, fromNpm)).stop();
    expect(await refusal(start(dir, fromNpm, 'another'))).to.contain('made with another password');
  });

  it('says which version a cluster of another version needs', async () => {
    const dir = await room('postgres');
    mkdirSync(join(dir, 'cluster'));
    writeFileSync(join(dir, 'cluster', 'PG_VERSION'), '9\n');
    expect(await refusal(start(dir, fromNpm))).to.contain('made by PostgreSQL 9 and here is 18');
  });

  it('leaves no half-made cluster behind', async () => {
    const dir = await room('postgres');
    mkdirSync(join(dir, 'cluster.unfinished'));
    writeFileSync(join(dir, 'cluster.unfinished', 'PG_VERSION'), '18\n');
    chmodSync(join(dir, 'cluster.unfinished'), 0o700);
    expect(await query((await start(dir, fromNpm)).url, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
  });

  it('ends with nothing listening', async () => {
    const server = await start(await room('postgres'), fromNpm);
    await server.stop();
    expect(await choosePort(server.port, 'EMBEDDED_POSTGRES_PORT')).to.equal(server.port);
  });
});

suiteNeeding('postgres', ofTheMachine.length > 0, 'embedded PostgreSQL, of the machine', () => {
  behavesWell(ofTheMachine);

  it('comes before the one from npm', () => expect(found[0]).to.equal(ofTheMachine[0]));
});
