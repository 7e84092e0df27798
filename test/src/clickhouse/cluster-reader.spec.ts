import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClickHouseReader,
  type IsReplicaReady,
  openAllShardsReader,
  openClickHouseReader,
  sql,
} from '@popsvc/platform/clickhouse';
import { isReplicaReady } from '@popsvc/read-models/generations';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { errorOf, rowsOf, type ScriptedReplica, startScriptedReplica } from './scripted-replica.fixture.ts';

const query = sql`SELECT n FROM t`;

describe('a reader of a cluster', () => {
  let replicas: ScriptedReplica[];
  let reader: ClickHouseReader;
  const open = (isReady: IsReplicaReady) => {
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(',');
    reader = openClickHouseReader({ url, cluster: 'main', username: 'any', password: '' }, isReady);
  };
  /** Opens the reader and waits until it has found all replicas ready, so that it prefers the same one for each query. */
  const openReady = async () => {
    let checks = 0;
    open(() => Promise.resolve(++checks > 0));
    await read();
    await waitUntil(
      () => Promise.resolve(checks),
      (count) => count === replicas.length,
    );
    return (await read())!;
  };
  const read = async () => (await reader.rows<{ n: number }>(query))[0]?.n;
  beforeEach(async () => {
    replicas = await Promise.all([0, 1].map((n) => startScriptedReplica(() => rowsOf({ n }))));
  });
  afterEach(async () => {
    await reader.close();
    await Promise.allSettled(replicas.map((replica) => replica.stop()));
  });

  it('uses one replica while it is available', async () => {
    const first = await openReady();
    for (let count = 0; count < 5; count += 1) expect(await read()).to.equal(first);
  });

  it('requires sequential consistency of each query', async () => {
    await openReady();
    const required: (string | null)[] = [];
    for (const replica of replicas)
      replica.respond = (_, settings) => {
        required.push(settings.get('select_sequential_consistency'));
        return rowsOf({ n: 0 });
      };
    await read();
    expect(new Set(required)).to.deep.equal(new Set(['1']));
  });

  for (const [code, type] of [
    [289, 'REPLICA_IS_NOT_IN_QUORUM'],
    [242, 'TABLE_IS_READ_ONLY'],
    [999, 'KEEPER_EXCEPTION'],
    [40, 'CHECKSUM_DOESNT_MATCH'],
  ] as const)
    it(`continues on another replica after ${type}`, async () => {
      const first = await openReady();
      replicas[first]!.respond = () => errorOf(code, type);
      expect(await read()).to.equal(1 - first);
    });

  it('continues on another replica if the connection is refused', async () => {
    const first = await openReady();
    await replicas[first]!.stop();
    expect(await read()).to.equal(1 - first);
    expect(await read()).to.equal(1 - first);
  });

  it('continues on another replica if one stops responding, and delays no further query by checking it again', async () => {
    const first = await openReady();
    const silent = replicas[first]!;
    silent.isSilent = true;
    expect(await read()).to.equal(1 - first);
    // Two pings without a response end the query before its time limit.
    expect(silent.unanswered).to.be.at.least(3);
    // Longer than the pause before the next check.
    await sleep(400);
    const before = silent.unanswered;
    for (let count = 0; count < 10; count += 1) expect(await read()).to.equal(1 - first);
    expect(silent.unanswered - before).to.equal(1);
  });

  it('returns errors that another replica would return too', async () => {
    const first = await openReady();
    const before = replicas[1 - first]!.received.length;
    replicas[first]!.respond = () => errorOf(62, 'SYNTAX_ERROR');
    expect(await read().catch((error: unknown) => String(error))).to.match(/rejected a query/);
    expect(replicas[1 - first]!.received.length).to.equal(before);
  });

  it('uses the rows of another replica if one found a damaged part during the query', async () => {
    const first = await openReady();
    let damagedParts = first;
    replicas[first]!.respond = (statement) => {
      if (statement.includes('system.events')) return rowsOf({ n: damagedParts });
      damagedParts += 1;
      return rowsOf({ n: 7 });
    };
    expect(await read()).to.equal(1 - first);
  });

  it('of all shards uses a server only if both its databases are up to date: that of the views and that of the tables', async () => {
    const url = replicas.map((replica) => `${replica.url}/popsvc`).join(';');
    reader = openAllShardsReader({ url, cluster: 'main', username: 'any', password: '' }, isReplicaReady);
    const conditions: string[] = [];
    const databases = new Set<string | null>();
    replicas.forEach((replica, n) => {
      replica.comment = `shard ${n + 1} of 2`;
      replica.respond = (statement, settings) => {
        databases.add(settings.get('database'));
        if (!statement.includes('AS ready')) return rowsOf({ n });
        conditions.push(...statement.split(' AND (SELECT').slice(1));
        return rowsOf({ ready: n });
      };
    });
    expect(await read()).to.equal(1);
    expect([...databases]).to.deep.equal(['popsvc_shards']);
    expect(conditions.length).to.be.at.least(3);
    for (const condition of conditions) expect(condition).to.include("WHERE database IN (currentDatabase(), 'popsvc')");
  });

  it('uses a replica only while it is ready, and responds UNAVAILABLE if none is', async () => {
    let ready: readonly boolean[] = [false, true];
    open(async (replica) => {
      const [row] = await replica.rows<{ n: number }>(query);
      return ready[row!.n]!;
    });
    expect(await read()).to.equal(1);
    replicas[1]!.respond = () => errorOf(999, 'KEEPER_EXCEPTION');
    const error = await read().catch((caught: unknown) => caught);
    expect(error).to.include({ code: 'UNAVAILABLE' });
    ready = [true, true];
    await sleep(1_100);
    expect(await read()).to.equal(0);
  });
});
