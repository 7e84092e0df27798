import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClickHouseWriter,
  generationTable,
  hasServerErrorType,
  openClickHouseReader,
} from '@popsvc/platform/clickhouse';
import { queryPage, queryTotal } from '@popsvc/query-api/reports';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { coffee } from '@popsvc/read-models/tables';
import { median, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type ClusterService, startClusterService } from './cluster-service.fixture.ts';
import { keeper, killServer, mayStopServers, type NamedCluster, startServer } from './named-cluster.fixture.ts';

/** How long a server stays away, in ms. */
const awayMs = 8_000;

describe('the service on a replicated ClickHouse', function () {
  this.timeout(900_000);
  let running: ClusterService;
  let cluster: NamedCluster;
  /** The live generation of coffee. */
  let generation = 1;
  before(async () => {
    running = await startClusterService();
    ({ cluster } = running);
  });
  after(() => running.end());

  /** Plays that were sent. Tests that need some send them if no other test did. */
  let sentPlays = 0;
  const sendTraffic = async (seed: number) => void (sentPlays += await running.sendTraffic(seed));
  let seed = 7;

  it('creates replicated tables on every replica, and doctor reports no problem', async () => {
    for (const replica of cluster.replicas) {
      const tables = await replica.rows<{ name: string; engine: string }>(
        `SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
      );
      expect(tables.length).to.be.greaterThan(20);
      expect(tables.filter(({ engine }) => engine !== 'ReplicatedReplacingMergeTree')).to.deep.equal([]);
    }
    await running.expectAllHealthy();
  });

  it('acknowledges an insert only if a majority stores it', async () => {
    const [first, ...others] = cluster.replicas;
    const table = 'quorum_control';
    await first!.run(`CREATE TABLE ${table} (n UInt64) ENGINE = ReplicatedMergeTree ORDER BY n`);
    for (const other of others) await other.run(`SYSTEM STOP FETCHES ${table}`);
    const insert = (n: number, settings: string) => first!.run(`INSERT INTO ${table} ${settings} SELECT ${n}`);
    const readOn = async (replica: ClickHouseWriter, settings: string) =>
      (await replica.rows<{ n: string }>(`SELECT n FROM ${table} ${settings}`)).map(({ n }) => Number(n));
    // Without a quorum the insert is acknowledged, and other replicas do not show it.
    await insert(1, 'SETTINGS insert_quorum = 0');
    expect(await readOn(others[0]!, 'SETTINGS select_sequential_consistency = 0')).to.deep.equal([]);
    const refused = await insert(2, '').catch((error: unknown) => error);
    expect(hasServerErrorType(refused, ['UNKNOWN_STATUS_OF_INSERT']), String(refused)).to.equal(true);
    for (const other of others) await other.run(`SYSTEM START FETCHES ${table}`);
    await waitUntil(
      () =>
        insert(3, '').then(
          () => true,
          () => false,
        ),
      (isStored) => isStored,
      60_000,
    );
    // A replica that has not fetched the rows yet refuses the query instead of showing fewer rows.
    for (const replica of cluster.replicas)
      await waitUntil(
        () => readOn(replica, '').catch((): number[] => []),
        (rows) => rows.includes(3),
      );
    await first!.run(`DROP TABLE ${table} SYNC`);
  });

  it('stores all batches with a quorum; prints the cost of a batch next to one replica', async () => {
    const [first] = cluster.replicas;
    const [batches, rows] = [40, 5_000];
    const tables = { one: 'cost_of_one', all: 'cost_of_all' };
    const columns = 'n UInt64, a String, b String, c Float64';
    const values = `SELECT number, hex(sipHash128(number)), toString(number % 100), number / 7 FROM numbers(${rows})`;
    const settings = 'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1';
    await first!.run(`CREATE TABLE ${tables.all} (${columns}) ENGINE = ReplicatedMergeTree ORDER BY n ${settings}`);
    // Each server has its own rows of a table that is not replicated.
    await first!.run(`CREATE TABLE ${tables.one} (${columns}) ENGINE = MergeTree ORDER BY n ${settings}`);
    const took: Record<keyof typeof tables, number[]> = { one: [], all: [] };
    for (let batch = 0; batch < batches; batch += 1)
      for (const side of ['one', 'all', 'all', 'one'] as const) {
        const began = performance.now();
        await first!.run(`INSERT INTO ${tables[side]} SETTINGS insert_deduplicate = 0 ${values}`);
        took[side].push(performance.now() - began);
      }
    const [one, all] = [median(took.one).toFixed(1), median(took.all).toFixed(1)];
    process.stdout.write(`      ${rows} rows, median: ${one} ms on one replica, ${all} ms with a quorum\n`);
    for (const table of Object.values(tables)) {
      const [count] = await first!.rows<{ n: number }>(`SELECT toFloat64(count()) AS n FROM ${table}`);
      expect(count!.n, table).to.equal(2 * batches * rows);
      await first!.run(`DROP TABLE ${table} SYNC`);
    }
  });

  it('prints the cost of sequential consistency for a page of a network and a day', async () => {
    if (sentPlays === 0) await sendTraffic(seed);
    const [{ server, database, credentials }] = cluster.replicas as [ClickHouseWriter];
    const open = (name: string | undefined) =>
      openClickHouseReader({ url: new URL(database, server).href, cluster: name, ...credentials });
    const readers = [open(undefined), open(cluster.env.CLICKHOUSE_CLUSTER)] as const;
    const at = (day: number) => ({ ms: Date.UTC(2026, 2, day), nanosPastMs: 0 });
    const window = { from: at(29), to: at(30) };
    const selection = { dataset: coffeeDataset, network: 100, window, siteIds: [], generation };
    const page = queryPage(selection, { limit: 100, sort: 'asc', after: undefined, offset: 0 });
    const [total] = await readers[1].rows<{ total: number }>(queryTotal(selection));
    const took: readonly [number[], number[]] = [[], []];
    for (let round = 0; round < 100; round += 1)
      for (const consistency of [0, 1, 1, 0] as const) {
        const began = performance.now();
        const rows = await readers[consistency].rowBinary(page);
        took[consistency].push(performance.now() - began);
        expect(rows).not.to.be.empty;
      }
    const [without, withIt] = took.map((each) => median(each).toFixed(1));
    process.stdout.write(`      100 of ${total!.total} rows, median: ${without} ms without, ${withIt} ms with it\n`);
    await Promise.all(readers.map((reader) => reader.close()));
  });

  (mayStopServers ? it : it.skip)(
    'reports each play once while every replica and Keeper are killed in turn',
    async () => {
      const nodes = [...cluster.replicas.map((_, index) => String(index + 1)), keeper];
      await running.killInTurn(nodes, () => sendTraffic((seed += 1)));
      process.stdout.write(`      ${sentPlays} plays, ${nodes.length} kills\n`);
      await running.expectAllHealthy();
      await running.expectEqualReplicas(generation);
    },
  );

  (mayStopServers ? it : it.skip)('continues reports and names the replica while one is away', async () => {
    if (sentPlays === 0) await sendTraffic(seed);
    await killServer('2');
    try {
      let longestMs = 0;
      for (let count = 0; count < 20; count += 1) {
        const began = performance.now();
        const response = await waitUntil(
          () => running.readReport('/coffee?from=2026-03-29&to=2026-03-30&limit=100'),
          ({ status }) => status === 200,
          30_000,
        );
        expect(((await response.json()) as { data: object }).data).to.include({ count: 100 });
        longestMs = Math.max(longestMs, performance.now() - began);
      }
      process.stdout.write(`      longest wait of a page: ${longestMs.toFixed(0)} ms\n`);
      expect((await running.readReplicaProblems()).map(({ problem }) => problem)).to.deep.equal(['down']);
    } finally {
      await startServer('2');
    }
    await running.expectAllHealthy();
  });

  /** Replays coffee, and compares the rows of the generations and of the replicas. */
  const replay = async (source: 'log' | 'facts') => {
    const args = ['projections', 'replay', 'coffee', '--from', source, '--verify', '--json'];
    const { stdout, stderr } = await running.popsvc(...args);
    expect(JSON.parse(stdout), stderr).to.include({ to_generation: generation + 1, verified: true });
    generation += 1;
  };
  const expectSwitched = async () => {
    for (const replica of cluster.replicas)
      await waitUntil(
        () =>
          replica.rows<{ sql: string }>(
            `SELECT create_table_query AS sql FROM system.tables WHERE database = currentDatabase() AND name = 'coffee_live'`,
          ),
        ([view]) => view!.sql.includes(generationTable(coffee, generation)),
      );
    await running.expectEqualReplicas(generation);
  };

  it('replays from the log and from facts with equal rows, and switches every replica', async () => {
    if (sentPlays === 0) await sendTraffic(seed);
    for (const source of ['log', 'facts'] as const) {
      await replay(source);
      await expectSwitched();
    }
  });

  (mayStopServers ? it : it.skip)('completes a replay while every replica is killed in turn', async () => {
    if (sentPlays === 0) await sendTraffic(seed);
    const state = { isOver: false };
    const replaying = replay('log').finally(() => (state.isOver = true));
    replaying.catch(() => undefined);
    const kills: string[] = [];
    for (let node = 1; node <= cluster.replicas.length && !state.isOver; node += 1) {
      await sleep(2_000);
      await killServer(String(node));
      kills.push(String(node));
      await sleep(awayMs);
      await startServer(String(node));
    }
    await replaying;
    process.stdout.write(`      killed during the replay: ${kills.join(', ')}\n`);
    await running.expectAllHealthy();
    await expectSwitched();
  });
});
