import { openClickHouseWriter, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createLeaseStore, reportMember } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from '../clickhouse/scripted-replica.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

interface Cluster {
  readonly partitions: number;
  readonly members: readonly { readonly name: string; readonly alive: boolean; readonly seen_at: string }[];
  readonly replicas: readonly {
    readonly server: string;
    readonly state: string;
    readonly error: string | null;
    readonly broken_parts: number;
  }[];
}

describe('GET /ops/v1/cluster', function () {
  let system: TestServices;
  let replicas: ScriptedReplica[];
  let second: ClickHouseWriter;
  before(async () => {
    const state = { ready: 1, read_only: 0, delay: 0, queued: 0, lost: 0, broken: 2, known: 3 };
    replicas = await Promise.all([0, 1, 2, 3].map(() => startScriptedReplica(() => rowsOf(state))));
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(',');
    const shard = { index: 1, of: 2 };
    second = openClickHouseWriter({ url, cluster: 'main', shard, username: 'any', password: '' });
    replicas.forEach((replica, index) => (replica.comment = index === 1 ? 'shard 1 of 2' : 'shard 2 of 2'));
    replicas[2]!.respond = () => errorOf(999, 'KEEPER_EXCEPTION');
    replicas[3]!.respond = () => errorOf(81, 'UNKNOWN_DATABASE');
    system = await startTestServices({ otherShards: [second] });
  });
  after(() => Promise.allSettled([system.close(), second.close(), ...replicas.map((replica) => replica.stop())]));

  const read = async (): Promise<Cluster> => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const response = await fetch(`${system.opsUrl}/ops/v1/cluster`, { headers });
    expect(response.status).to.equal(200);
    return (await response.json()) as Cluster;
  };

  it('has no members before a process of projectors reports, and the server of ClickHouse', async () => {
    const { host } = new URL(system.writer.server);
    const { replicas: servers, ...others } = await read();
    expect(others).to.deep.equal({ partitions: 1, members: [] });
    expect(servers[0]).to.deep.equal({
      server: host,
      shard: 1,
      state: 'ready',
      error: null,
      read_only_tables: 0,
      delay_seconds: 0,
      queued_tasks: 0,
      lost_parts: 0,
      broken_parts: 0,
    });
  });

  it('shows broken parts of a server, a server of another shard, one that is down, and one without the database', async () => {
    const [healthy, wrong, down, empty, ...others] = (await read()).replicas.slice(1);
    expect(healthy).to.include({ shard: 2, state: 'ready', error: null, broken_parts: 2 });
    expect(wrong).to.include({ shard: 2, state: 'wrong-shard', broken_parts: 0 });
    expect(wrong!.error).to.include(
      `on ${new URL(replicas[1]!.url).host} is shard 1 of 2, and CLICKHOUSE_URL lists it as shard 2 of 2`,
    );
    expect(down).to.include({ shard: 2, state: 'down', broken_parts: 0 });
    expect(empty).to.include({ shard: 2, state: 'no-database', broken_parts: 0 });
    expect(others).to.deep.equal([]);
  });

  it('lists processes with the partitions of live generations that they run', async () => {
    const { postgres } = system;
    await postgres.query(
      `INSERT INTO generations (projection, generation, state, version) VALUES ('coffee', 8, 'live', 1), ('coffee', 9, 'kept', 1)`,
    );
    const leases = createLeaseStore(postgres);
    await leases.acquire({ projection: 'coffee', generation: 8, partition: 2 }, 'one', 60_000);
    await leases.acquire({ projection: 'coffee', generation: 8, partition: 0 }, 'one', 60_000);
    await leases.acquire({ projection: 'coffee', generation: 8, partition: 1 }, 'two', -1_000);
    await leases.acquire({ projection: 'coffee', generation: 9, partition: 0 }, 'two', 60_000);
    await reportMember(postgres, { member: 'one', shards: 1 });
    await reportMember(postgres, { member: 'two', shards: 1 });
    await postgres.query(`UPDATE members SET seen_at = now() - interval '11 seconds' WHERE member = 'two'`);
    const [one, two, ...others] = (await read()).members;
    expect(one).to.deep.include({
      name: 'one',
      alive: true,
      partitions: [
        { projection: 'coffee', partition: 0 },
        { projection: 'coffee', partition: 2 },
      ],
    });
    expect(two).to.deep.include({ name: 'two', alive: false, partitions: [] });
    expect(Date.parse(two!.seen_at)).to.be.lessThan(Date.parse(one!.seen_at));
    expect(others).to.deep.equal([]);
  });
});
