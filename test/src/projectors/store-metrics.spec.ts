import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listShards, type Shard } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { joinMember, migrate, openPostgres, type Postgres } from '@popsvc/platform/postgres';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import { registerStoreMetrics } from '@popsvc/projectors/metrics';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from '../clickhouse/scripted-replica.fixture.ts';
import { sharedPostgres } from '../support/engines.ts';

const state = { ready: 1, read_only: 0, delay: 0, queued: 0, lost: 0, broken: 0, known: 2 };

describe('the metrics of the stores', () => {
  let postgres: Postgres;
  let replicas: ScriptedReplica[];
  let writers: readonly ClickHouseWriter[];
  before(async () => {
    const server = await sharedPostgres();
    postgres = openPostgres({ url: await server.freshDatabase(), log: createLog('test', 'silent'), name: 'test' });
    await migrate(postgres);
    replicas = await Promise.all(
      [0, 1, 2, 3].map((index) =>
        startScriptedReplica((statement) => {
          if (statement.includes('system.parts')) return rowsOf({ rows: 10, bytes: 100, parts: 5, worst: index + 1 });
          // The last server lists the first shard twice.
          if (statement.includes('_shard_num'))
            return rowsOf(
              { number: 1, shard: 'shard 1 of 2' },
              { number: 2, shard: index < 3 ? 'shard 2 of 2' : 'shard 1 of 2' },
            );
          return rowsOf({ ...state, broken: index });
        }),
      ),
    );
    const open = (shard: Shard) => {
      const own = replicas.slice(2 * shard.index, 2 * shard.index + 2);
      for (const replica of own) replica.comment = `shard ${shard.index + 1} of ${shard.of}`;
      const url = own.map((replica) => `${replica.url}/popsvc`).join(',');
      return openClickHouseWriter({ url, cluster: 'main', shard, username: 'any', password: '' });
    };
    writers = listShards(2).map(open);
  });
  after(() =>
    Promise.allSettled([
      postgres.end(),
      ...writers.map((writer) => writer.close()),
      ...replicas.map((replica) => replica.stop()),
    ]),
  );

  /** The values of a metric, by labels. */
  const readMetric = async (
    name: string,
    folders: readonly string[] = [],
  ): Promise<Readonly<Record<string, number>>> => {
    const metrics = createMetrics('test');
    registerStoreMetrics({
      metrics,
      postgres,
      readers: [],
      writers,
      owner: 'test',
      requireSyncStandby: false,
      folders,
    });
    const lines = (await metrics.getSingleMetricAsString(name)).matchAll(
      new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, 'gm'),
    );
    return Object.fromEntries(
      [...lines].map(([, labels = '', value]) => [labels.replace(/,?service="[^"]*"/, ''), Number(value)]),
    );
  };
  const labelsOf = (index: number) =>
    `shard="shard ${index < 2 ? 1 : 2} of 2",replica="${new URL(replicas[index]!.url).host}"`;

  it('name the shard and the server of each replica', async () => {
    expect(await readMetric('popsvc_clickhouse_replica_broken_parts')).to.deep.equal({
      [labelsOf(0)]: 0,
      [labelsOf(1)]: 1,
      [labelsOf(2)]: 2,
      [labelsOf(3)]: 3,
    });
  });

  it('name a server whose remote_servers lists a shard twice', async () => {
    expect(await readMetric('popsvc_clickhouse_replica_lists_shards')).to.deep.equal({
      [labelsOf(0)]: 1,
      [labelsOf(1)]: 1,
      [labelsOf(2)]: 1,
      [labelsOf(3)]: 0,
    });
  });

  it('report a server that never responds as down, and the others as before', async () => {
    replicas[3]!.isSilent = true;
    const ofOthers = { [labelsOf(0)]: 1, [labelsOf(1)]: 1, [labelsOf(2)]: 1 };
    expect(await readMetric('popsvc_clickhouse_replica_up')).to.deep.equal({ ...ofOthers, [labelsOf(3)]: 0 });
    expect(await readMetric('popsvc_clickhouse_replica_lists_shards')).to.deep.equal(ofOthers);
    replicas[3]!.isSilent = false;
  });

  it('report a server without the database, and one of another shard, as down, and one that is not ready as up', async () => {
    const before = replicas.map(({ respond, comment }) => ({ respond, comment }));
    replicas[0]!.respond = () => rowsOf({ ...state, ready: 0 });
    replicas[1]!.respond = () => errorOf(81, 'UNKNOWN_DATABASE');
    replicas[2]!.comment = 'shard 1 of 2';
    // Checks the shard again.
    expect(await writers[1]!.replicas[0]!.ping().catch(String)).to.include('shard 1 of 2');
    const [up, ready] = [
      await readMetric('popsvc_clickhouse_replica_up'),
      await readMetric('popsvc_clickhouse_replica_ready'),
    ];
    replicas.forEach((replica, index) => Object.assign(replica, before[index]));
    const others = { [labelsOf(1)]: 0, [labelsOf(2)]: 0, [labelsOf(3)]: 1 };
    expect(up).to.deep.equal({ ...others, [labelsOf(0)]: 1 });
    expect(ready).to.deep.equal({ ...others, [labelsOf(0)]: 0 });
  });

  it('count the parts of each replica that responds', async () => {
    await replicas[0]!.stop();
    expect(await readMetric('popsvc_clickhouse_partition_parts_max')).to.deep.equal({
      [labelsOf(1)]: 2,
      [labelsOf(2)]: 3,
      [labelsOf(3)]: 4,
    });
  });

  it('report the disk of DATA_DIR and the age of its newest complete backup', async () => {
    const folder = await temporaryFolder('data');
    expect(await readMetric('popsvc_backup_age_seconds', [folder])).to.deep.equal({});
    expect(await readMetric('popsvc_backup_failed', [folder])).to.deep.equal({});
    const at = new Date(Date.now() - 3_600_000).toISOString();
    const failure = { at, error: 'the disk is full' };
    await writeFile(
      join(folder, 'backup-record.json'),
      JSON.stringify({ complete: { at, folder: '/backups/1' }, failure }),
    );
    expect((await readMetric('popsvc_backup_age_seconds', [folder]))['']).to.be.within(3_600, 3_700);
    expect(await readMetric('popsvc_backup_failed', [folder])).to.deep.equal({ '': 1 });
    const size = (await readMetric('popsvc_data_dir_disk_bytes', [folder]))['']!;
    expect((await readMetric('popsvc_data_dir_free_bytes', [folder]))['']).to.be.within(1, size);
    expect(await readMetric('popsvc_data_dir_disk_bytes')).to.deep.equal({});
  });

  it('count the processes of projectors that report, and whether this one does', async () => {
    expect(await readMetric('popsvc_projector_members')).to.deep.equal({ '': 0 });
    for (const member of ['one', 'two', 'gone']) await joinMember(postgres, { member, shards: 2 });
    await postgres.query("UPDATE members SET seen_at = now() - interval '11 seconds' WHERE member = 'gone'");
    expect(await readMetric('popsvc_projector_members')).to.deep.equal({ '': 2 });
    expect(await readMetric('popsvc_projector_joined')).to.deep.equal({ '': 0 });
    await joinMember(postgres, { member: 'test', shards: 2 });
    expect(await readMetric('popsvc_projector_joined')).to.deep.equal({ '': 1 });
  });
});
