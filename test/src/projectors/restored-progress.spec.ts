import { wholeProjection } from '@popsvc/domain/partitioning';
import { createCheckpointStore } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { readResumePoint, partitionKeyOf } from '@popsvc/projectors/engine';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import sinon from 'sinon';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';
import { projectionNamed } from './replay/replay-system.fixture.ts';

const log = createLog('test', 'silent');

/** The table of a release that kept a row for each batch of a week. */
const formerTable = `CREATE TABLE progress_coffee_g1 (generation UInt32, partitions UInt8, partition UInt8, pos UInt64,
  as_of DateTime64(3, 'UTC'), rows UInt64, epoch UInt64, written_at DateTime64(3, 'UTC'))
  ENGINE = ReplacingMergeTree ORDER BY (generation, partitions, partition, pos)`;

describe('progress that is restored from the checkpoints', () => {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
    await openGenerations({ ...system, log }, allProjections);
    await system.register(smallRegistry);
    await system.play({ eventId: 'one' });
    await system.project();
  });
  after(() => system.close());

  const readResumed = () => {
    const { postgres, writer } = system;
    const key = partitionKeyOf({ projection: projectionNamed('coffee'), generation: 1, partition: wholeProjection });
    return readResumePoint({ checkpoints: createCheckpointStore(postgres), writer, here: undefined }, key);
  };
  /** Puts the former table in place of the present one, and opens the generations again. */
  const downgrade = async (partsPosition: bigint) => {
    await system.writer.run('DROP TABLE progress_coffee_g1 SYNC');
    await system.writer.run(formerTable);
    await system.postgres.query(`UPDATE checkpoints SET parts_position = $1 WHERE projection = 'coffee'`, [
      partsPosition,
    ]);
    const opened = await openGenerations({ ...system, log }, allProjections);
    expect(opened.flatMap(({ damage = [] }) => damage)).to.deep.equal([]);
  };

  it('is where the projection was, if the table is that of a former release and no list of parts is stored', async () => {
    const { checkpoint } = await readResumed();
    expect(checkpoint > 0n).to.equal(true);
    await downgrade(0n);
    expect(await readResumed()).to.deep.include({ position: checkpoint, reached: checkpoint });
  });

  it('begins where the list of parts ends, because later rows may be lost', async () => {
    const { checkpoint } = await readResumed();
    await downgrade(checkpoint - 1n);
    expect(await readResumed()).to.deep.include({ position: checkpoint - 1n, reached: checkpoint });
  });

  it('is logged as a warning if all progress is lost, because operators may delete the folder of ClickHouse', async () => {
    const observed = createLog('test', 'silent');
    const [warn, error] = [sinon.spy(observed, 'warn'), sinon.spy(observed, 'error')];
    await system.writer.run('TRUNCATE TABLE progress_coffee_g1');
    await openGenerations({ ...system, log: observed }, allProjections);
    expect(warn.args).to.deep.equal([[{ generations: ['coffee 1'] }, 'lost progress restored from the checkpoints']]);
    expect(error.args).to.deep.equal([]);
  });
});
