import type { Finding } from '@popsvc/contracts/diagnostics';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { onlyShard, type Shard } from '@popsvc/domain/partitioning';
import { runDiagnostics } from '@popsvc/ops-api/server';
import { dictionaries as declared, timeZoneDictionary } from '@popsvc/read-models/schema';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from '../clickhouse/scripted-replica.fixture.ts';
import { type DiagnosedSystem, startDiagnosedSystem, withOnlyShard } from './diagnostics.fixture.ts';

const healthy = { ready: 1, read_only: 0, delay: 0, queued: 0, lost: 0, broken: 0, known: 3 };

describe('the diagnostics of a ClickHouse cluster', function () {
  let system: DiagnosedSystem;
  let replicas: ScriptedReplica[];
  before(async () => {
    system = await startDiagnosedSystem();
    replicas = await Promise.all([0, 1, 2].map(() => startScriptedReplica(() => rowsOf(healthy))));
  });
  after(async () => {
    await Promise.allSettled([system.close(), ...replicas.map((replica) => replica.stop())]);
  });

  const hostOf = (index: number) => new URL(replicas[index]!.url).host;
  /** The findings of a check, with the codes of the problems. */
  const diagnose = async (
    listed = replicas,
    shard = onlyShard,
    wanted = 'clickhouse-replica',
  ): Promise<readonly Pick<Finding, 'outcome' | 'problem' | 'subject' | 'found'>[]> => {
    const url = listed.map((replica) => `${replica.url}/popsvc`).join(',');
    const writer = openClickHouseWriter({ url, cluster: 'main', shard, username: 'any', password: '' });
    try {
      return (await runDiagnostics({ ...system, ...withOnlyShard(writer, system.reader) }))
        .filter(({ check }) => check === wanted)
        .map(({ outcome, problem, subject, found }) => ({ outcome, problem, subject, found }));
    } finally {
      await writer.close();
    }
  };

  it('pass if all replicas respond and are up to date', async () => {
    expect((await diagnose()).map(({ outcome }) => outcome)).to.deep.equal(['ok']);
  });

  it('name each replica with a problem', async () => {
    replicas[0]!.respond = () => rowsOf({ ...healthy, read_only: 4, delay: 120, queued: 30 });
    replicas[1]!.respond = () => rowsOf({ ...healthy, ready: 0, lost: 2 });
    replicas[2]!.respond = () => errorOf(999, 'KEEPER_EXCEPTION');
    expect((await diagnose()).map(({ problem, subject }) => [problem, subject])).to.deep.equal([
      ['read-only', hostOf(0)],
      ['behind', hostOf(0)],
      ['lost-parts', hostOf(1)],
      ['not-ready', hostOf(1)],
      ['down', hostOf(2)],
    ]);
  });

  it('name a replica without its database, and one that detached damaged parts', async () => {
    replicas[0]!.respond = () => errorOf(81, 'UNKNOWN_DATABASE');
    replicas[1]!.respond = () => rowsOf({ ...healthy, broken: 2 });
    replicas[2]!.respond = () => rowsOf(healthy);
    expect((await diagnose()).map(({ problem, subject }) => [problem, subject])).to.deep.equal([
      ['no-database', hostOf(0)],
      ['broken-parts', hostOf(1)],
    ]);
  });

  it('name a replica of another shard', async () => {
    for (const replica of replicas) replica.respond = () => rowsOf(healthy);
    replicas.forEach((replica, index) => (replica.comment = index === 1 ? 'shard 2 of 2' : 'shard 1 of 2'));
    const found = await diagnose(replicas, { index: 0, of: 2 });
    for (const replica of replicas) replica.comment = '';
    expect(found.map(({ problem, subject }) => [problem, subject])).to.deep.equal([
      ['wrong-shard', `${hostOf(1)} of shard 1 of 2`],
    ]);
  });

  it('name the disk of each replica, and a dictionary that one of them cannot load', async () => {
    const disk = (free: number) => ({ name: 'default', free, size: 100e9 });
    const broken = { status: 'FAILED', last_exception: 'no rows' };
    const dictionaries = [timeZoneDictionary, ...declared.map(({ name }) => name)].map((name) => ({
      name,
      last_exception: '',
    }));
    replicas.forEach((replica, index) => {
      replica.respond = (statement) => {
        if (statement.includes('system.disks')) return rowsOf(disk(index === 1 ? 2e9 : 50e9));
        if (statement.includes('system.dictionaries'))
          return rowsOf(
            ...dictionaries.map((each) => (index === 2 && each.name === 'dict_sites' ? { ...each, ...broken } : each)),
          );
        return rowsOf(healthy);
      };
    });
    const places = [0, 1, 2].map((index) => `default of clickhouse at ${hostOf(index)}`);
    const ofClickHouse = (await diagnose(replicas, onlyShard, 'disk')).filter(({ subject }) =>
      places.includes(subject!),
    );
    expect(ofClickHouse.map(({ problem, subject }) => [problem, subject])).to.deep.equal([
      [null, places[0]],
      ['full', places[1]],
      [null, places[2]],
    ]);
    const [{ found }] = (await diagnose(replicas, onlyShard, 'schema')) as readonly [Pick<Finding, 'found'>];
    expect(found).to.include(`dictionary dict_sites cannot be loaded (no rows) at ${hostOf(2)}`);
  });

  it('name the replica with the most parts in a partition, also while another one does not respond', async () => {
    replicas.forEach((replica, index) => {
      replica.respond = (statement) => {
        if (!statement.includes('system.parts')) return rowsOf(healthy);
        if (index === 2) return errorOf(999, 'KEEPER_EXCEPTION');
        return rowsOf({ table: 'coffee_g1', parts: index === 1 ? 400 : 4 });
      };
    });
    const [finding, ...others] = await diagnose(replicas, onlyShard, 'clickhouse-parts');
    expect(others).to.deep.equal([]);
    expect(finding).to.include({
      problem: 'many',
      found: `coffee_g1 has 400 parts in one partition at ${hostOf(1)}`,
    });
  });

  /** The findings about `remote_servers` of two shards, of which the second server returns these shards. */
  const diagnoseRemote = async (respond: ScriptedReplica['respond']) => {
    const remote = (...shards: string[]) => rowsOf(...shards.map((shard, index) => ({ number: index + 1, shard })));
    const writers = [0, 1].map((index) => {
      const replica = replicas[index]!;
      replica.comment = `shard ${index + 1} of 2`;
      replica.respond = index === 0 ? () => remote('shard 2 of 2', 'shard 1 of 2') : respond;
      const shard: Shard = { index, of: 2 };
      return openClickHouseWriter({
        url: `${replica.url}/popsvc`,
        cluster: 'main',
        shard,
        username: 'any',
        password: '',
      });
    });
    const shards = writers.map((writer) => ({ ...withOnlyShard(writer, system.reader).shards[0]!, writer }));
    const found = await runDiagnostics({ ...system, shards });
    await Promise.all(writers.map((writer) => writer.close()));
    for (const replica of replicas) replica.comment = '';
    return found.filter(({ check }) => check === 'clickhouse-shards');
  };

  it('compare the shards in remote_servers with those of CLICKHOUSE_URL, in any order', async () => {
    const remote = (...shards: string[]) => rowsOf(...shards.map((shard, index) => ({ number: index + 1, shard })));
    const right = await diagnoseRemote(() => remote('shard 1 of 2', 'shard 2 of 2'));
    expect(right.map(({ outcome }) => outcome)).to.deep.equal(['ok']);
    const [twice, ...others] = await diagnoseRemote(() => remote('shard 1 of 2', 'shard 1 of 2'));
    expect(others).to.deep.equal([]);
    expect(twice).to.include({ outcome: 'failed', problem: 'wrong-list', subject: hostOf(1) });
    expect(twice!.found).to.equal(
      'its remote_servers lists shard 1 of 2, shard 1 of 2, and CLICKHOUSE_URL shard 1 of 2, shard 2 of 2',
    );
    const [missing] = await diagnoseRemote(() => remote('shard 1 of 2'));
    expect(missing).to.include({ problem: 'wrong-list' });
    const [unreadable] = await diagnoseRemote(() => errorOf(279, 'ALL_CONNECTION_TRIES_FAILED'));
    expect(unreadable).to.include({ outcome: 'failed', problem: 'unreadable', subject: hostOf(1) });
  });

  it('report replicas that CLICKHOUSE_URL does not list', async () => {
    for (const replica of replicas) replica.respond = () => rowsOf(healthy);
    expect((await diagnose(replicas.slice(0, 2))).map(({ problem }) => problem)).to.deep.equal(['not-listed']);
  });

  it('report a replica that is stopped', async () => {
    await replicas[2]!.stop();
    expect((await diagnose()).map(({ problem, subject }) => [problem, subject])).to.deep.equal([['down', hostOf(2)]]);
  });

  it('do not report servers that cannot read a shard of which no server responds', async () => {
    await replicas[0]!.stop();
    const [found, ...others] = await diagnoseRemote(() => errorOf(279, 'ALL_CONNECTION_TRIES_FAILED'));
    expect(others).to.deep.equal([]);
    expect(found).to.include({
      outcome: 'ok',
      found: `not checked, because no server of a shard responds; servers that do not respond: ${hostOf(0)}`,
    });
  });
});
