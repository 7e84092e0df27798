import { probeStream } from '@popsvc/contracts/events';
import { listPartitions } from '@popsvc/domain/partitioning';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import {
  deletePartList,
  forgetProjectionSet,
  readGenerations,
  readPartitionCount,
  recordPartitionCount,
  registerProjection,
} from '@popsvc/platform/postgres';
import { claimPartitions } from '@popsvc/projectors/members';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { ensureSchema, markRunVerified, verifyGeneration } from '@popsvc/read-models/generations';
import { includesNetwork, progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { partsOf, pretendRestart } from '../replay/lost-parts.fixture.ts';
import { projectionNamed } from '../replay/replay-system.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { runPartition } from './partitioned.fixture.ts';

const projection = projectionNamed('coffee');
const networks = [1, 2, 3, 4];

/** One play and one detection of each network. The projection is split into 2 partitions before each test, and into 3 by it. */
describe('pending ranges after a change of the number of partitions', function () {
  this.timeout(120_000);
  let system: TestSystem;
  beforeEach(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await registerProjection(system.postgres, projection.name, projection.version);
    await recordPartitionCount(system.postgres, 2);
    await ensureSchema(system.writer, [{ projection, generation: 1, partitions: 2 }]);
    await system.writer.run('SYSTEM STOP MERGES coffee_g1');
    await system.register({
      networks: networks.map((id) => ({ id, name: `Network ${id}`, timezone: 'Europe/London' })),
      sites: networks.map((id) => ({ id, name: `Site ${id}`, network: id, timezone: 'Europe/London' })),
      locations: networks.map((id) => ({ id, name: `Location ${id}`, site: id })),
      devices: networks.map((id) => ({ id, name: `Device ${id}`, location: id, screen_ids: [`screen-${id}`] })),
    });
    await system.projectOne('registry');
    for (const network of networks) {
      const of = { network, vendor: `v${network}` };
      await system.play({ eventId: `play-${network}`, screenId: `screen-${network}` }, of);
      await system.detection({ detectionId: `detection-${network}`, deviceId: network }, of);
    }
    await runPartitions(2);
  });
  afterEach(() => system.close());

  const runPartitions = async (partitions: number, writer: ClickHouseWriter = system.writer) => {
    const upTo = await system.append(probeStream('test'), 'ProbeEmitted', {
      service: 'test',
      emittedAt: new Date().toISOString(),
    });
    for (const partition of listPartitions(partitions))
      await runPartition(system, { name: 'coffee', generation: 1, partition }, upTo, { writer });
  };
  const changePartitions = (writer: ClickHouseWriter = system.writer, verifyTables = () => Promise.resolve()) =>
    claimPartitions({
      ...system.parts,
      shards: [{ writer, projections: [projection] }],
      partitions: 3,
      verifyTables,
      waitMs: 0,
    });
  const rows = async () => (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['WATCHERID']]);
  const pending = () =>
    system.writer.rows<{ network: number; last: number }>(
      `SELECT toFloat64(network_id) AS network, toFloat64(last_network) AS last FROM coffee_pending_g1 FINAL ORDER BY network`,
    );
  const putOff = (cause: string, lastNetwork: string, select: string) =>
    system.writer.run(
      `INSERT INTO coffee_pending_g1 (network_id, last_network, screen_id, from_at, to_at, cause, as_of, slices, version)
       SELECT network, ${lastNetwork}, ${cause === 'facts' ? "'screen-' || toString(network)" : "''"},
         toDateTime64('2026-08-20 14:00:00', 3, 'UTC'), toDateTime64('2026-08-20 14:05:00', 3, 'UTC'), '${cause}', now64(3), 1, 1
       FROM (${select})`,
    );
  const dropRows = async () => {
    await deletePartList(system.postgres, { projection: 'coffee', generation: 1 });
    return pretendRestart(system, await partsOf(system, ['coffee'], 1));
  };

  it('are derived again by the partitions that own the networks, if ClickHouse lost their rows and the list of parts is unknown', async () => {
    const expected = await rows();
    expect(expected).to.have.length(4);
    // Only batches of the last minute are repeated.
    await system.writer.run(
      `ALTER TABLE ${progressTable('coffee')} UPDATE written_at = written_at - INTERVAL 10 MINUTE WHERE true
       SETTINGS mutations_sync = 1`,
    );
    await system.play({ eventId: 'later', screenId: 'screen-1', playedAt: '2026-08-20T15:00:00.000Z' });
    await putOff('facts', 'network', 'SELECT arrayJoin([1, 2, 3, 4]) AS network');
    await runPartitions(2);
    expect(await pending()).to.deep.equal([]);
    await changePartitions(await dropRows());
    await runPartitions(3);
    expect((await rows()).filter(([event]) => event !== 'later')).to.deep.equal(expected);
    expect(await pending()).to.deep.equal([]);
  });

  it('are divided, if they have networks of several partitions', async () => {
    const expected = await rows();
    // One range of each of the two former partitions.
    await putOff('replay', '4', 'SELECT arrayJoin([1, 2]) AS network');
    await dropRows();
    await changePartitions();
    expect(await pending()).to.deep.equal([
      { network: 1, last: 4 },
      { network: 2, last: 4 },
      { network: 3, last: 4 },
      { network: 4, last: 4 },
    ]);
    await runPartitions(3);
    expect(await rows()).to.deep.equal(expected);
    expect(await pending()).to.deep.equal([]);
  });

  it('that overlap are kept apart by their former partition, and contain the same networks', async () => {
    // The second one is part of a range of the same partition, as an earlier change of the number leaves it.
    const former = [
      { network: 1, lastNetwork: 13, pos: 101 },
      { network: 3, lastNetwork: 19, pos: 102 },
      { network: 2, lastNetwork: 24, pos: 103 },
    ];
    for (const { network, lastNetwork, pos } of former)
      await system.writer.run(
        `INSERT INTO coffee_pending_g1 (network_id, last_network, screen_id, from_at, to_at, cause, pos, as_of, slices, version)
         SELECT ${network}, ${lastNetwork}, '', toDateTime64('2026-08-20 14:00:00', 3, 'UTC'),
           toDateTime64('2026-08-20 14:05:00', 3, 'UTC'), 'replay', ${pos}, now64(3), 1, 1`,
      );
    const readRanges = () =>
      system.writer.rows<{ network: number; lastNetwork: number; pos: number }>(
        `SELECT toFloat64(network_id) AS network, toFloat64(last_network) AS lastNetwork, toUInt32(pos) AS pos
         FROM coffee_pending_g1 FINAL ORDER BY network`,
      );
    const networksOf = ({ partitions, ...range }: { network: number; lastNetwork: number; partitions: number }) =>
      Array.from({ length: 24 }, (_, index) => index + 1).filter((network) =>
        includesNetwork({ ...range, partitions }, network),
      );
    await changePartitions();
    const ranges = await readRanges();
    expect(ranges).to.deep.equal([
      { network: 1, lastNetwork: 13, pos: 101 },
      { network: 2, lastNetwork: 24, pos: 103 },
      { network: 3, lastNetwork: 19, pos: 101 },
      { network: 4, lastNetwork: 24, pos: 103 },
      { network: 5, lastNetwork: 19, pos: 101 },
      { network: 6, lastNetwork: 24, pos: 103 },
      { network: 7, lastNetwork: 19, pos: 102 },
    ]);
    for (const range of former)
      for (const network of networksOf({ ...range, partitions: 2 }))
        expect(
          ranges.some((each) => each.pos <= range.pos && networksOf({ ...each, partitions: 3 }).includes(network)),
          `network ${network} of ${JSON.stringify(range)}`,
        ).to.equal(true);
  });

  it('remain, and the number is not changed, while PostgreSQL has the projections of another number of shards', async () => {
    await registerProjection(system.postgres, 'coffee@1of2', 1);
    const refusal: unknown = await changePartitions().catch((error: unknown) => error);
    expect(String(refusal)).to.include(
      'the projections of 2 shards are stored, too. Remove them with "popsvc projections forget 2 --confirm" first',
    );
    await forgetProjectionSet(system.postgres, 2);
    await changePartitions();
    expect(await readPartitionCount(system.postgres)).to.equal(3);
  });

  it('are derived again, if the verification before the change found lost parts', async () => {
    const expected = await rows();
    const record = async () => (await readGenerations(system.postgres)).find((each) => each.projection === 'coffee')!;
    const verify = async (partitions: number) => {
      const { healing } = await record();
      const damage = await verifyGeneration(system.parts, { projection, generation: 1, partitions, healing });
      expect(damage).to.deep.equal([]);
    };
    for (const { name } of await partsOf(system, ['coffee'], 1))
      await system.writer.run(`ALTER TABLE coffee_g1 DETACH PART '${name}'`);
    await changePartitions(system.writer, () => verify(2));
    expect(await pending()).to.have.length(4);
    expect((await record()).healing).to.have.length.greaterThan(0);
    await markRunVerified(system.writer);
    await runPartitions(3);
    expect(await rows()).to.deep.equal(expected);
    expect((await record()).healing).to.deep.equal([]);
    await verify(3);
    expect(await record()).to.deep.include({ healing: [], damage: [] });
  });
});
