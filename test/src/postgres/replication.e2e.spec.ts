import { setTimeout as sleep } from 'node:timers/promises';
import {
  AsynchronousReplication,
  isPostgresUnavailable,
  migrate,
  openPostgres,
  parseStandbyNames,
  type Postgres,
  requireSynchronousStandby,
} from '@popsvc/platform/postgres';
import { createLog, type Log } from '@popsvc/platform/telemetry';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { Client } from 'pg';
import { type PostgresPair, startPostgresPair } from './postgres-pair.fixture.ts';

const silent = createLog('test', 'silent');

describe('synchronous_standby_names', () => {
  for (const [setting, count, names] of [
    ['', 0, []],
    [' ', 0, []],
    ['*', 1, ['*']],
    ['One, two', 1, ['one', 'two']],
    ['2 (one, two , three)', 2, ['one', 'two', 'three']],
    ['FIRST 1 (one)', 1, ['one']],
    ['any 2("pg-1","pg-2","a ""b"", c")', 2, ['pg-1', 'pg-2', 'a "b", c']],
  ] as const)
    it(`'${setting}' requires ${count} of ${names.length} standbys`, () => {
      expect(parseStandbyNames(setting)).to.deep.equal({ count, names });
    });
});

describe('POSTGRES_REQUIRE_SYNC_STANDBY', function () {
  let pair: PostgresPair;
  before(async () => {
    pair = await startPostgresPair();
    await withPool((postgres) => migrate(postgres));
    await pair.addStandby('standby');
  });

  /** Runs `work` in new sessions, because changes of a role's settings do not apply to open ones. */
  const withPool = async <T>(work: (postgres: Postgres) => Promise<T>): Promise<T> => {
    const postgres = openPostgres({ url: pair.url, log: silent, name: 'test' });
    try {
      return await work(postgres);
    } finally {
      await postgres.end();
    }
  };

  /** Returns the warnings of a start, or why it is refused. */
  const start = async (): Promise<readonly string[] | string> => {
    const warnings: string[] = [];
    const log = { warn: (_: unknown, message: string) => void warnings.push(message) } as unknown as Log;
    return withPool((postgres) => requireSynchronousStandby(postgres, log)).then(
      () => warnings,
      (error: unknown) => {
        expect(error).to.be.instanceOf(AsynchronousReplication);
        return (error as Error).message;
      },
    );
  };

  it('refuses a server whose commits wait for no standby, although one streams', async () => {
    expect(await start())
      .to.match(/synchronous_standby_names of the server 127\.0\.0\.1:\d+ is empty/)
      .and.to.include('Set it, for example');
  });

  it('accepts a server with a synchronous standby, and warns if the role may not see it', async () => {
    await pair.configure('synchronous_standby_names', 'ANY 1 (standby, other)');
    expect(await start()).to.deep.equal(['cannot see the standbys of PostgreSQL: grant pg_read_all_stats to the role']);
    await pair.administer('GRANT pg_read_all_stats TO popsvc');
    expect(await start()).to.deep.equal([]);
  });

  for (const level of ['off', 'local', 'remote_write'])
    it(`refuses a role with synchronous_commit ${level}`, async () => {
      await pair.administer(`ALTER ROLE popsvc SET synchronous_commit = ${level}`);
      expect(await start())
        .to.include(`synchronous_commit is ${level} for the role popsvc`)
        .and.to.include('ALTER ROLE');
    });

  for (const level of ['on', 'remote_apply'])
    it(`accepts a role with synchronous_commit ${level}`, async () => {
      await pair.administer(`ALTER ROLE popsvc SET synchronous_commit = ${level}`);
      expect(await start()).to.deep.equal([]);
    });

  it('warns if no standby streams, because commits wait for one', async () => {
    pair.replication.away();
    expect(await start()).to.deep.equal(['commits in PostgreSQL wait for a standby to connect']);
    pair.replication.heal();
    await pair.waitForStandby();
    expect(await start()).to.deep.equal([]);
  });

  it('a commit waits for a standby longer than the timeout of its statement', async () => {
    const client = new Client({ connectionString: pair.url, statement_timeout: 200 });
    await client.connect();
    pair.replication.away();
    let isConfirmed = false;
    const committed = client
      .query("BEGIN; INSERT INTO leases VALUES ('any', 1, 'any', 1, now()); COMMIT")
      .then(() => (isConfirmed = true));
    await sleep(1_500);
    expect(isConfirmed).to.equal(false);
    pair.replication.heal();
    await committed;
    await client.end();
    await pair.waitForStandby();
  });

  it('a pool has a bounded number of connections while no standby streams, and continues when one does', async () => {
    const connections = 3;
    const postgres = openPostgres({ url: pair.url, log: silent, name: 'bounded', connections });
    let rows = 0;
    const insert = () => postgres.query(`INSERT INTO leases VALUES ('bounded', ${(rows += 1)}, 'any', 1, now())`);
    const countConnections = async () =>
      (await pair.administer("SELECT 1 FROM pg_stat_activity WHERE application_name = 'popsvc bounded'")).length;
    pair.replication.away();
    let most = 0;
    const failures: unknown[] = [];
    // Long enough for five times as many connections, if the pool replaced each one whose commit timed out.
    const until = performance.now() + 20_000;
    const writers = Array.from({ length: 2 * connections }, async () => {
      while (performance.now() < until) {
        await insert().catch((error: unknown) => failures.push(error));
        most = Math.max(most, await countConnections());
      }
    });
    await Promise.all(writers);
    expect(failures).to.have.length.greaterThan(2 * connections);
    expect(failures.filter((error) => !isPostgresUnavailable(error))).to.deep.equal([]);
    expect(most).to.be.at.most(3 * connections);
    pair.replication.heal();
    await pair.waitForStandby();
    await waitUntil(countConnections, (count) => count <= connections);
    await insert();
    await postgres.end();
  });

  it('warns if only standbys stream that are not named', async () => {
    await pair.configure('synchronous_standby_names', 'other');
    // The server applies the setting to a connected standby with the next message of the standby.
    const warnings = await waitUntil(start, (found) => found.length > 0);
    expect(warnings).to.deep.equal(['commits in PostgreSQL wait for a standby to connect']);
  });

  it('refuses a standby', async () => {
    pair.clients.moveTo(pair.standbyUrl());
    expect(await start())
      .to.match(/the server 127\.0\.0\.1:\d+ is a standby/)
      .and.to.include('DATABASE_URL');
  });
});
