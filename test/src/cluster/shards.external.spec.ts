import { shardOwnsNetwork } from '@popsvc/domain/partitioning';
import { type ClickHouseWriter, generationTable, writersOfServers } from '@popsvc/platform/clickhouse';
import { analystsDatabase } from '@popsvc/read-models/analysts';
import { coffee, plays, receipts, watcherSummary } from '@popsvc/read-models/tables';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type ClusterService, startClusterService } from './cluster-service.fixture.ts';
import { analystPassword, keeper, mayStopServers, type NamedCluster } from './named-cluster.fixture.ts';

describe('the service on a sharded ClickHouse', function () {
  this.timeout(900_000);
  let running: ClusterService;
  let cluster: NamedCluster;
  const popsvcJson = async <Result>(...args: string[]) =>
    JSON.parse((await running.popsvc(...args, '--json')).stdout) as Result;
  before(async () => {
    running = await startClusterService();
    ({ cluster } = running);
  });
  after(() => running.end());

  /** The live generations of coffee by shard; 1 if missing. */
  const generations = new Map<ClickHouseWriter, number>();
  /** All replicas of a shard have the same rows, of its networks only. */
  const expectRowsOfShards = async () => {
    const found = new Set<number>();
    for (const shard of cluster.shards) {
      const generation = generations.get(shard) ?? 1;
      await running.expectEqualReplicas(generation, writersOfServers(shard));
      for (const table of [coffee, plays, receipts, watcherSummary]) {
        const networks = await shard.rows<{ id: number }>(
          `SELECT DISTINCT toFloat64(network_id) AS id
           FROM ${generationTable(table, table === watcherSummary ? 1 : generation)} FINAL`,
        );
        for (const { id } of networks) {
          expect((id % 10) % shard.shard.of, `${table.name}, network ${id}`).to.equal(shard.shard.index);
          found.add(id);
        }
      }
    }
    expect(found.size).to.be.greaterThan(3);
  };

  it('creates the tables of each shard on its replicas, and doctor reports no problem', async () => {
    for (const replica of cluster.replicas) {
      const tables = await replica.rows<{ name: string; engine: string }>(
        `SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree'`,
      );
      expect(tables.length).to.be.greaterThan(20);
      expect(tables.filter(({ engine }) => engine !== 'ReplicatedReplacingMergeTree')).to.deep.equal([]);
    }
    await running.expectAllHealthy();
  });

  it('reports each play once, from the shard of its network', async () => {
    await running.sendTraffic(11, { devices: 8, networks: 4 });
    await expectRowsOfShards();
  });

  it('shows operators the rows of all shards', async () => {
    const devices = await popsvcJson<{ devices: { network: { id: number } }[] }>('devices', 'list', '--limit', '500');
    const shards = new Set(devices.devices.map(({ network }) => (network.id % 10) % cluster.shards.length));
    expect(shards.size).to.equal(cluster.shards.length);
    const balance = await popsvcJson<{ hours: { network_id: number }[] }>('events', 'balance');
    expect(new Set(balance.hours.map(({ network_id }) => network_id)).size).to.be.greaterThan(3);
    const { stdout } = await running.popsvc('projections', 'list');
    for (const { shard } of cluster.shards) expect(stdout).to.include(`coffee@${shard.index + 1}of${shard.of}`);
  });

  (analystPassword === undefined ? it.skip : it)(
    'shows an analyst the rows of all shards, through any server',
    async () => {
      const seen = (
        await cluster.replicas[0]!.rows<{ id: number }>(
          'SELECT toFloat64(network_id) AS id FROM registry_networks_live ORDER BY id',
        )
      ).map(({ id }) => id);
      const queries = {
        plays: 'SELECT toFloat64(network_id) AS id, count() AS n FROM plays GROUP BY id ORDER BY id',
        devices: 'SELECT toFloat64(network_id) AS id, count() AS n FROM devices GROUP BY id ORDER BY id',
        'a join': `SELECT toFloat64(p.network_id) AS id, count() AS n FROM plays AS p
        JOIN (SELECT network_id, device_id FROM devices) AS d ON d.device_id = p.device_id GROUP BY id ORDER BY id`,
      };
      const database = analystsDatabase(cluster.shards[0]!.database);
      const ask = async (server: string, query: string) => {
        const response = await fetch(`${server}?database=${database}`, {
          method: 'POST',
          headers: { 'X-ClickHouse-User': 'analyst', 'X-ClickHouse-Key': analystPassword! },
          body: `${query} FORMAT JSONEachRow`,
        });
        const text = await response.text();
        expect(response.status, text).to.equal(200);
        const lines = text.trim().split('\n');
        return lines.map((line) => JSON.parse(line) as { id: number; n: number | string });
      };
      for (const [what, query] of Object.entries(queries)) {
        const answers = await Promise.all(cluster.replicas.map(({ server }) => ask(server, query)));
        for (const answer of answers) expect(answer, what).to.deep.equal(answers[0]);
        expect(
          answers[0]!.map(({ id }) => id),
          what,
        ).to.deep.equal(seen.filter((id) => answers[0]!.some((row) => row.id === id)));
        expect(answers[0]!.length, what).to.be.greaterThan(3);
      }
      for (const writer of cluster.shards)
        for (const { id, n } of await ask(cluster.replicas[0]!.server, queries.plays)) {
          if (!shardOwnsNetwork(writer.shard, id)) continue;
          const [stored] = await writer.rows<{ n: number }>(
            `SELECT toFloat64(count()) AS n FROM (SELECT DISTINCT vendor, event_id FROM plays_live WHERE network_id = ${id})`,
          );
          expect(Number(n), `plays of network ${id}`).to.equal(stored!.n);
        }
    },
  );

  it('replays a projection of one shard, and switches its replicas only', async () => {
    const replayed = cluster.shards.at(-1)!;
    const name = `coffee@${replayed.shard.index + 1}of${replayed.shard.of}`;
    for (const source of ['log', 'facts'])
      expect(await popsvcJson('projections', 'replay', name, '--from', source, '--verify')).to.include({
        verified: true,
      });
    generations.set(replayed, 3);
    for (const shard of cluster.shards)
      for (const replica of writersOfServers(shard)) {
        const generation = generations.get(shard) ?? 1;
        await waitUntil(
          () =>
            replica.rows<{ sql: string }>(
              `SELECT create_table_query AS sql FROM system.tables WHERE database = currentDatabase() AND name = 'coffee_live'`,
            ),
          ([view]) => view!.sql.includes(generationTable(coffee, generation)),
        );
      }
  });

  (mayStopServers ? it : it.skip)(
    'reports each play once while every replica and Keeper are killed in turn',
    async () => {
      const nodes = [...cluster.replicas.map((_, index) => String(index + 1)), keeper];
      let [seed, plays] = [12, 0];
      await running.killInTurn(nodes, async () => {
        plays += await running.sendTraffic((seed += 1), { devices: 8, networks: 4 });
      });
      process.stdout.write(`      ${plays} plays, ${nodes.length} kills\n`);
      await running.expectAllHealthy();
      await expectRowsOfShards();
    },
  );
});
