import { partitionIndexSql, partitionOf, shardIndexSql, shardOf, wholeProjection } from '@popsvc/domain/partitioning';
import { findNetworksBehind, reviveLatestRanges } from '@popsvc/projectors/engine';
import { compareGenerations } from '@popsvc/projectors/engine/replay';
import { ensureSchema } from '@popsvc/read-models/generations';
import { includesNetwork } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { projectionNamed } from './replay/replay-system.fixture.ts';

const coffee = projectionNamed('coffee');

interface Range {
  readonly network: number;
  readonly lastNetwork?: number;
  readonly fromMinute?: number;
  readonly cause?: string;
  readonly asOf?: number;
  readonly pos?: number;
  readonly version?: number;
  readonly isDeleted?: boolean;
}

describe('pending ranges', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['coffee'] });
    await system.writer.run('CREATE TABLE coffee_pending_g2 AS coffee_pending_g1');
  });
  beforeEach(async () => {
    for (const generation of [1, 2]) await system.writer.run(`TRUNCATE TABLE coffee_pending_g${generation}`);
  });
  after(() => system.close());

  const add = async (table: string, ranges: readonly Range[]) => {
    const rows = ranges.map(
      ({
        network,
        lastNetwork = network,
        fromMinute = 0,
        cause = 'registry',
        asOf = 0,
        pos = 1,
        version = 1,
        isDeleted = false,
      }) =>
        `(${network}, ${lastNetwork}, '', toDateTime64('2026-08-20 14:00:00', 3, 'UTC') + INTERVAL ${fromMinute} MINUTE,
          toDateTime64('2026-08-20 15:00:00', 3, 'UTC'), '${cause}', ${pos}, fromUnixTimestamp64Milli(toInt64(${asOf}), 'UTC'), 1, 0, now64(3), ${version},
          ${isDeleted ? 1 : 0})`,
    );
    await system.writer.run(
      `INSERT INTO ${table} (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, next_slice, written_at, version, is_deleted)
       VALUES ${rows.join(', ')}`,
    );
  };

  it('are listed for readers with their networks and times', async () => {
    await add('coffee_pending_g1', [
      { network: 1, asOf: 70 },
      { network: 2, lastNetwork: 4, cause: 'replay', asOf: 90 },
      { network: 5, cause: 'damaged' },
    ]);
    await ensureSchema(system.writer, [{ projection: coffee, generation: 1, partitions: 2 }]);
    const listed = await system.writer.rows(
      `SELECT projection, toUInt32(network_id) AS network, toUInt32(last_network) AS last, partitions, toUInt32(toUnixTimestamp64Milli(as_of)) AS as_of_ms,
         toUInt32(ranges) AS ranges FROM pending_live ORDER BY network`,
    );
    expect(listed).to.deep.equal([
      { projection: 'coffee', network: 1, last: 1, partitions: 2, as_of_ms: 70, ranges: 1 },
      { projection: 'coffee', network: 2, last: 4, partitions: 2, as_of_ms: 90, ranges: 1 },
    ]);
  });

  it('include only networks of the same partition', () => {
    const ofRange = { network: 12, lastNetwork: 18 };
    const included = (partitions: number) =>
      [...Array(30).keys()].filter((network) => includesNetwork({ ...ofRange, partitions }, network));
    expect(included(1)).to.deep.equal([12, 13, 14, 15, 16, 17, 18]);
    expect(included(4)).to.deep.equal([12, 16]);
  });

  it('have networks whose shard and partition SQL computes as the domain does, in both databases', async () => {
    for (const [shards, partitions] of [
      [1, 4],
      [2, 5],
      [3, 2],
    ] as const) {
      const expected = Array.from({ length: 40 }, (_, network) => ({
        network,
        shard: shardOf(network, shards).index,
        partition: partitionOf(network, { partitions, shards }),
      }));
      const columns = (network: string, divide: 'intDiv' | 'div') =>
        `(${shardIndexSql(network, shards)})::int AS shard,
         (${partitionIndexSql(network, { partitions: String(partitions), shards: String(shards) }, divide)})::int AS partition`;
      const inClickHouse = await system.writer.rows(
        `SELECT toUInt32(number) AS network, ${columns('toUInt32(number)', 'intDiv')} FROM numbers(40)`,
      );
      const { rows: inPostgres } = await system.postgres.query(
        `SELECT network, ${columns('network', 'div')}
         FROM generate_series(0, 39) AS network`,
      );
      expect(inClickHouse).to.deep.equal(expected);
      expect(inPostgres).to.deep.equal(expected);
    }
  });

  const session = () => ({
    projection: coffee,
    generation: 1,
    partition: wholeProjection,
    run: (query: string, params = {}) => system.writer.run(query, { params }),
  });

  const findBehind = (partitions = 1) => findNetworksBehind(system.writer, coffee, { one: 2, other: 1, partitions });

  it('are compared with those of another generation by each network of a range', async () => {
    await add('coffee_pending_g1', [{ network: 2, lastNetwork: 4, cause: 'replay', asOf: 90 }]);
    await add('coffee_pending_g2', [{ network: 3, asOf: 90 }]);
    expect(await findBehind()).to.deep.equal([]);
    await add('coffee_pending_g2', [
      { network: 4, asOf: 89 },
      { network: 5, asOf: 90 },
    ]);
    expect([...(await findBehind())].sort()).to.deep.equal([4, 5]);
    // With two partitions, the range does not include network 3.
    expect([...(await findBehind(2))].sort()).to.deep.equal([3, 4, 5]);
  });

  it('of a replay from facts are behind those of the live generation, whatever their time', async () => {
    await add('coffee_pending_g1', [{ network: 2, asOf: 50 }]);
    await add('coffee_pending_g2', [{ network: 2, cause: 'replay', asOf: 90 }]);
    expect(await findBehind()).to.deep.equal([2]);
  });

  it('become pending again once, although each unit shortened them', async () => {
    await add('coffee_pending_g1', [
      { network: 1, lastNetwork: 3, fromMinute: 0, cause: 'replay', isDeleted: true },
      { network: 1, lastNetwork: 3, fromMinute: 10, cause: 'replay', isDeleted: true },
      { network: 1, lastNetwork: 3, fromMinute: 20, cause: 'replay', isDeleted: true },
      { network: 1, fromMinute: 5, isDeleted: true },
      { network: 1, fromMinute: 30, pos: 2, isDeleted: true },
    ]);
    await reviveLatestRanges(session(), 8n);
    const pending = await system.writer.rows(
      `SELECT toUInt32(network_id) AS network, toUInt32(last_network) AS last, toMinute(from_at, 'UTC') AS minute, cause, toUInt32(pos) AS pos,
         toUInt32(version) AS version FROM coffee_pending_g1 FINAL ORDER BY cause, minute`,
    );
    expect(pending).to.deep.equal([
      { network: 1, last: 1, minute: 5, cause: 'registry', pos: 1, version: 17 },
      { network: 1, last: 1, minute: 30, cause: 'registry', pos: 2, version: 17 },
      { network: 1, last: 3, minute: 0, cause: 'replay', pos: 1, version: 17 },
    ]);
  });

  it('become pending again, although they were derived at a position that the partition has not reached', async () => {
    await add('coffee_pending_g1', [
      { network: 1, version: 101, isDeleted: true },
      { network: 2, cause: 'damaged', version: 900 },
    ]);
    await reviveLatestRanges(session(), 8n);
    const pending = await system.writer.rows(
      `SELECT toUInt32(network_id) AS network, toUInt32(version) AS version FROM coffee_pending_g1 FINAL ORDER BY network`,
    );
    expect(pending).to.deep.equal([
      { network: 1, version: 101 },
      { network: 2, version: 900 },
    ]);
  });

  it('are left out when the columns of generations are compared', async () => {
    const owner = { replay: 9, epoch: 1n };
    for (const generation of [1, 2])
      for (const { name } of coffee.tables)
        await system.writer.run(`CREATE TABLE ${name}_g${generation}_at_9_1 AS ${name}_g1`);
    for (const [generation, reason, site] of [
      [1, 'same', 1],
      [2, 'other', 2],
    ] as const)
      await system.writer.run(
        `INSERT INTO coffee_g${generation}_at_9_1 (network_id, ts, event_id, play_reason, site_id, version)
         SELECT 1, toDateTime64('2026-08-20 13:00:00', 3, 'UTC'), 'A', '${reason}', 1, 1
         UNION ALL SELECT 1, toDateTime64('2026-08-20 14:30:00', 3, 'UTC'), 'in-pending-range', 'same', ${site}, 1`,
      );
    await add('coffee_pending_g1_at_9_1', [{ network: 1 }]);
    const compared = { ...owner, projection: coffee, generations: [1, 2] as const };
    const found = await compareGenerations(system.writer, compared, () => undefined, new AbortController().signal);
    expect(found).to.deep.equal([
      { table: 'coffee', network: 1, day: '2026-08-20', rows_before: 1, rows_after: 1, columns: ['play_reason'] },
    ]);
  });
});
