import { type ClickHouseWriter, openClickHouseWriter, openShardWriters } from '@popsvc/platform/clickhouse';
import { type AnalystLogins, createAnalystLogins } from '@popsvc/ops-api/analysts';
import type { Postgres } from '@popsvc/platform/postgres';
import { createLog, type Log } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from '../clickhouse/scripted-replica.fixture.ts';

const hash = 'ab'.repeat(32);
/** Grants are not synchronized here. */
const unused: object = {};

/** Users are created and dropped on each of three replicas that do not share them. */
describe('the login of an analyst on a cluster', () => {
  let replicas: ScriptedReplica[];
  let users: Set<string>[];
  let writer: ClickHouseWriter;
  let logins: AnalystLogins;
  beforeEach(async () => {
    users = [new Set(), new Set(), new Set()];
    replicas = await Promise.all(
      users.map((own) =>
        startScriptedReplica((query) => {
          const [, orReplace, created] = /^CREATE USER (OR REPLACE )?(\w+) /.exec(query) ?? [];
          const [, dropped] = /^DROP USER IF EXISTS (\w+)/.exec(query) ?? [];
          if (created !== undefined && own.has(created) && orReplace === undefined)
            return errorOf(493, 'ACCESS_ENTITY_ALREADY_EXISTS');
          if (created !== undefined) own.add(created);
          if (dropped !== undefined) own.delete(dropped);
          return query.includes('system.users') ? rowsOf(...[...own].map((name) => ({ name }))) : rowsOf();
        }),
      ),
    );
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(',');
    writer = openClickHouseWriter({ url, cluster: 'main', username: 'any', password: '' });
    logins = createAnalystLogins([writer], {
      postgres: unused as unknown as Postgres,
      log: createLog('test', 'silent'),
    });
  });
  afterEach(async () => {
    await writer.close();
    await Promise.allSettled(replicas.map((replica) => replica.stop()));
  });
  const hostOf = (index: number) => new URL(replicas[index]!.url).host;

  it('is created on every replica', async () => {
    expect(await logins.create('anna', hash)).to.deep.equal({ canLogIn: true, why: null });
    for (const own of users) expect([...own]).to.deep.equal(['anna']);
    expect([...(await logins.readUsers())!]).to.deep.equal(['anna']);
  });

  it('is refused if the name is in use, and changes no replica', async () => {
    users[0]!.add('anna');
    const { canLogIn, why } = await logins.create('anna', hash);
    expect(canLogIn).to.equal(false);
    expect(why).to.equal(`${hostOf(0)}: it failed. `);
    expect(users.slice(1).map(({ size }) => size)).to.deep.equal([0, 0]);
  });

  it('replaces what a failed attempt left on other replicas', async () => {
    users[2]!.add('anna');
    expect(await logins.create('anna', hash)).to.deep.equal({ canLogIn: true, why: null });
  });

  it('names a replica that does not respond', async () => {
    await replicas[1]!.stop();
    const { canLogIn, why } = await logins.create('anna', hash);
    expect(canLogIn).to.equal(false);
    expect(why).to.include(hostOf(1));
  });

  it('is dropped on every replica, and reported as usable while one does not respond', async () => {
    await logins.create('anna', hash);
    await replicas[0]!.stop();
    const { canLogIn, why } = await logins.revoke('anna');
    expect(canLogIn).to.equal(true);
    expect(why).to.include(hostOf(0));
    expect(users.map(({ size }) => size)).to.deep.equal([1, 0, 0]);
  });
});

describe('the grants of analysts', () => {
  it('are copied to each shard, and the log names a shard that does not respond', async () => {
    const replicas = await Promise.all([1, 2].map(() => startScriptedReplica(() => rowsOf())));
    replicas.forEach((replica, index) => (replica.comment = `shard ${index + 1} of 2`));
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(';');
    const writers = openShardWriters({ url, cluster: 'main', username: 'any', password: '' });
    const logged: unknown[] = [];
    const warn = ({ shard }: { shard: string }, message: string) => logged.push([shard, message]);
    const postgres = { query: () => Promise.resolve({ rows: [] }) } as unknown as Postgres;
    const logins = createAnalystLogins(writers, { postgres, log: { warn } as unknown as Log });
    await replicas[0]!.stop();
    await logins.syncGrants();
    expect(replicas[1]!.received.at(-1)).to.match(/^INSERT INTO analyst_grants/);
    expect(logged).to.deep.equal([['shard 1 of 2', 'failed to synchronize analyst grants']]);
    await Promise.all([replicas[1]!.stop(), ...writers.map((writer) => writer.close())]);
    expect(await logins.syncGrants().catch(() => 'refused')).to.equal('refused');
  });
});
