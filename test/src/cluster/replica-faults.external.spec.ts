import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouseWriter, generationTable } from '@popsvc/platform/clickhouse';
import { coffee } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type ClusterService, startClusterService } from './cluster-service.fixture.ts';
import {
  databasesOf,
  killServer,
  mayChangeFiles,
  mayStopServers,
  mayWipeServers,
  pathOnServer,
  readReplicaName,
  removeFromKeeper,
  shutDownServer,
  startServer,
  wipeServer,
  withoutLastReplica,
} from './named-cluster.fixture.ts';

const table = generationTable(coffee, 1);

describe('replicas of ClickHouse that lose data or are restarted', function () {
  this.timeout(900_000);
  let running: ClusterService;
  /** All rows of the report. */
  let report = '';
  /** Reads the report without the times at which rows were written: after a fault, the projection writes those of the last minute again. */
  const readReport = async () => {
    const response = await running.readReport('/coffee/download?from=2026-03-28&to=2026-03-31&format=ndjson');
    const body = (await response.text()).replaceAll(/"SILVER_STAGE_TIMESTAMP":"[^"]*",/g, '');
    return { status: response.status, body };
  };
  before(async () => {
    if (!mayStopServers) return;
    running = await startClusterService();
    await running.sendTraffic(7, { devices: 4 });
    report = (await readReport()).body;
    expect(report.split('\n').length).to.be.greaterThan(1_000);
    // A part that was found damaged later than at the start is fetched again when its files were removed, by default after 8 to 13 minutes.
    await running.cluster.replicas[0]!.run(
      `ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 10, cleanup_delay_period = 5, max_cleanup_delay_period = 10`,
    );
  });
  after(async () => {
    if (mayStopServers) await running.end();
  });

  /** The largest active part of coffee on a replica. */
  const findPart = async (node: string) => {
    const replica = running.cluster.replicas[Number(node) - 1]!;
    const [part] = await replica.rows<{ name: string; path: string }>(
      `SELECT name, path FROM system.parts WHERE active AND database = currentDatabase() AND table = '${table}'
       ORDER BY rows DESC LIMIT 1`,
    );
    return { name: part!.name, folder: await pathOnServer(node, replica, part!.path), replica };
  };
  /** The largest file of a part with values of columns. */
  const largestFile = async (folder: string): Promise<string> => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.bin'));
    const sized = await Promise.all(names.map(async (name) => ({ name, size: (await stat(join(folder, name))).size })));
    return sized.sort((one, other) => other.size - one.size)[0]!.name;
  };
  /** Inverts a byte near the end of a file. */
  const damageFile = async (path: string) => {
    const file = await open(path, 'r+');
    try {
      const position = Math.max(0, (await file.stat()).size - 10);
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, position);
      byte[0] = byte[0]! ^ 0xff;
      await file.write(byte, 0, 1, position);
    } finally {
      await file.close();
    }
  };
  /** Reads the replication tasks of all replicas that are not done. */
  const readQueuedTasks = async () => {
    const tasks = await Promise.all(
      running.cluster.replicas.map((replica) =>
        replica.rows<object>(
          'SELECT hostName() AS host, database, table, type, new_part_name, num_tries, last_exception, postpone_reason FROM system.replication_queue',
        ),
      ),
    );
    return tasks.flat();
  };
  /**
   * Requires responses with all rows, or 503, until all replicas are healthy and have equal rows, and no replay. The comparison reads
   * damaged bytes on the replicas: such a query fails, and until the part is fetched again the replica returns fewer rows.
   */
  const expectHealed = async () => {
    const state = { isOver: false };
    const isEqual = () =>
      running.expectEqualReplicas(1).then(
        () => true,
        () => false,
      );
    const heal = async () => {
      await running.expectAllHealthy();
      await waitUntil(isEqual, Boolean, 120_000, 500);
      // Until then a replica may have the rows only in the parts from which a damaged part was merged, and the next test damages others.
      await waitUntil(readQueuedTasks, (tasks) => tasks.length === 0, 120_000, 500);
      await running.expectAllHealthy();
    };
    const healed = heal().finally(() => (state.isOver = true));
    healed.catch(() => undefined);
    const statuses = new Map<number, number>();
    while (!state.isOver) {
      const { status, body } = await readReport();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) expect(body === report, 'all rows').to.equal(true);
      else expect(status, body).to.equal(503);
    }
    await healed;
    process.stdout.write(`      responses meanwhile: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
    await running.expectEqualReplicas(1);
    expect((await readReport()).body === report, 'all rows').to.equal(true);
    await running.expectNoReplay();
  };

  /** Changes files of a replica while it is down. */
  const whileDown = async (node: string, change: () => Promise<void>): Promise<void> => {
    await killServer(node);
    try {
      await change();
    } finally {
      await startServer(node);
    }
  };
  const expectWholeParts = async (node: string) => {
    const replica = running.cluster.replicas[Number(node) - 1]!;
    await waitUntil(
      () => replica.rows<{ is_passed: number }>(`CHECK TABLE ${table} SETTINGS check_query_single_value_result = 0`),
      (results) => results.every(({ is_passed: isPassed }) => isPassed),
      60_000,
    );
  };

  for (const file of ['the values of a column', 'count.txt', 'checksums.txt'])
    (mayChangeFiles ? it : it.skip)(`fetches a part if ${file} was damaged while the replica was down`, async () => {
      const { folder } = await findPart('2');
      await whileDown('2', async () =>
        damageFile(join(folder, file.endsWith('.txt') ? file : await largestFile(folder))),
      );
      await expectHealed();
      await expectWholeParts('2');
    });

  (mayChangeFiles ? it : it.skip)('fetches a part whose folder was deleted while the replica was down', async () => {
    const { folder } = await findPart('3');
    await whileDown('3', () => rm(folder, { recursive: true }));
    await expectHealed();
  });

  (mayChangeFiles ? it : it.skip)(
    'fetches parts that are damaged on a running replica when a report reads them',
    async () => {
      const damaged = ['1', '2'];
      for (const node of damaged) {
        const { folder, replica } = await findPart(node);
        await damageFile(join(folder, await largestFile(folder)));
        await replica.run('SYSTEM DROP UNCOMPRESSED CACHE');
      }
      await expectHealed();
      for (const node of damaged) await expectWholeParts(node);
    },
  );

  (mayWipeServers ? it : it.skip)('fills an empty replica when its former entries in Keeper are dropped', async () => {
    const [other, replica] = running.cluster.replicas;
    const databases = databasesOf(replica!);
    const name = await readReplicaName(replica!);
    await whileDown('2', () => wipeServer('2'));
    await waitUntil(
      () => running.readReplicaProblems(),
      (found) => found.some(({ problem }) => problem === 'no-database'),
      60_000,
    );
    await removeFromKeeper(name, other!);
    await expectHealed();
    const listTables = (from: ClickHouseWriter) =>
      from.rows(
        'SELECT database, name, engine FROM system.tables WHERE database IN {databases:Array(String)} ORDER BY ALL',
        {
          params: { databases },
        },
      );
    await waitUntil(
      async () => JSON.stringify(await listTables(replica!)),
      (found) => found.includes(databases[1]!),
      60_000,
    );
    expect(await listTables(replica!)).to.deep.equal(await listTables(other!));
    const countNames = (from: ClickHouseWriter) =>
      from.rows(
        "SELECT count() AS named FROM coffee_live WHERE dictGetOrDefault('dict_devices', 'name', device_id, '') != ''",
      );
    expect(await countNames(replica!)).to.deep.equal(await countNames(other!));
    process.stdout.write(`      named rows: ${JSON.stringify(await countNames(replica!))}\n`);
  });

  (mayStopServers ? it : it.skip)('reports each play once while every replica is restarted in turn', async () => {
    const traffic = running.sendTraffic(8);
    traffic.catch(() => undefined);
    const nodes = running.cluster.replicas.map((_, index) => String(index + 1));
    for (const node of nodes) {
      const began = performance.now();
      await shutDownServer(node);
      await startServer(node);
      await running.expectAllHealthy();
      process.stdout.write(
        `      replica ${node}: healthy after ${((performance.now() - began) / 1_000).toFixed(1)} s\n`,
      );
    }
    process.stdout.write(`      ${await traffic} plays\n`);
    await running.expectAllHealthy();
    await running.expectEqualReplicas(1);
    await running.expectNoReplay();
  });

  (mayChangeFiles ? it : it.skip)('completes a replay while a replica is stuck behind the schema', async () => {
    const [first, stuck] = running.cluster.replicas;
    // A kill in the middle of CREATE TABLE leaves such a folder (https://github.com/ClickHouse/ClickHouse/issues/116246).
    const uuid = randomUUID();
    const [disk] = await stuck!.rows<{ path: string }>("SELECT path FROM system.disks WHERE name = 'default'");
    const folder = await pathOnServer('2', stuck!, join(disk!.path, 'store', uuid.slice(0, 3), uuid));
    await mkdir(join(folder, 'detached'), { recursive: true });
    try {
      const created = first!.run(
        `CREATE TABLE stuck_control UUID '${uuid}' (n UInt64) ENGINE = ReplicatedMergeTree ORDER BY n
         SETTINGS database_replicated_allow_explicit_uuid = 1`,
      );
      created.catch(() => undefined);
      await waitUntil(
        () => running.readReplicaProblems(),
        (found) => found.some(({ problem }) => problem === 'not-ready'),
        60_000,
      );
      const { stdout, stderr } = await running.popsvc('projections', 'replay', 'coffee', '--verify', '--json');
      expect(JSON.parse(stdout), stderr).to.include({ to_generation: 2, verified: true });
      expect((await running.readReplicaProblems()).map(({ problem }) => problem)).to.include('not-ready');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await running.expectAllHealthy();
    await running.expectEqualReplicas(2);
    // ClickHouse moves tables there that other replicas dropped meanwhile.
    for (const suffix of ['broken_replicated_tables', 'broken_tables'])
      await stuck!.run(`DROP DATABASE IF EXISTS ${stuck!.database}_${suffix} SYNC`);
  });
});

describe('a replica that is added to a cluster', function () {
  this.timeout(900_000);

  it('gets all tables and rows when CLICKHOUSE_URL lists it', async () => {
    const before = await startClusterService({ listed: withoutLastReplica });
    await before.sendTraffic(7, { devices: 4 });
    await before.service.stop();
    const running = await startClusterService({ before });
    try {
      expect(running.cluster.replicas.length).to.equal(before.cluster.replicas.length + 1);
      await running.expectAllHealthy();
      await running.expectEqualReplicas(1);
      await running.sendTraffic(8, { devices: 4 });
      await running.expectEqualReplicas(1);
      await running.expectNoReplay();
    } finally {
      await running.end();
      await Promise.all(before.cluster.shards.map((writer) => writer.close()));
    }
  });
});
