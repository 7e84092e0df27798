import { createLeaseStore, reportMember } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';

interface Cluster {
  readonly partitions: number;
  readonly members: readonly { readonly name: string; readonly alive: boolean; readonly seen_at: string }[];
  readonly replicas: readonly object[];
}

describe('GET /ops/v1/cluster', function () {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
  });
  after(() => system.close());

  const read = async (): Promise<Cluster> => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const response = await fetch(`${system.opsUrl}/ops/v1/cluster`, { headers });
    expect(response.status).to.equal(200);
    return (await response.json()) as Cluster;
  };

  it('has no members before a process of projectors reports, and the server of ClickHouse', async () => {
    const { host } = new URL(system.writer.server);
    expect(await read()).to.deep.equal({
      partitions: 1,
      members: [],
      replicas: [
        {
          server: host,
          shard: 1,
          state: 'ready',
          error: null,
          read_only_tables: 0,
          delay_seconds: 0,
          queued_tasks: 0,
          lost_parts: 0,
        },
      ],
    });
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
