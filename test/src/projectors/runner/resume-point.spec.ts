import { registerProjection } from '@popsvc/platform/postgres';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { readResumePoint } from '@popsvc/projectors/engine';
import { pruneProgress } from '@popsvc/read-models/generations';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';

const key = { projection: 'coffee', generation: 2, partition: 0, partitions: 1 };
const minuteMs = 60_000;

describe('the resume point of a generation', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await registerProjection(system.postgres, 'coffee', 1);
  });
  /** The time of the test: however long its statements take, they count as executed then. */
  let nowMs: number;
  beforeEach(async () => {
    nowMs = Date.now();
    await system.writer.run(`TRUNCATE TABLE ${progressTable('coffee')}`);
    await system.postgres.query('DELETE FROM checkpoints');
    await system.postgres.query(
      `INSERT INTO checkpoints (projection, generation, position, begun, log_id) VALUES ('coffee', 2, 30, 30, 'log')`,
    );
  });
  after(() => system.close());

  /** Writes the progress of a batch up to a position. */
  const batch = (pos: number, minutesAgo: number) =>
    system.writer.run(
      `INSERT INTO ${progressTable('coffee')} (generation, partitions, partition, pos, epoch, written_at)
       VALUES (2, 1, 0, ${pos}, 1, fromUnixTimestamp64Milli(${nowMs - minutesAgo * minuteMs}))`,
    );
  const threeBatches = async () => {
    await batch(10, 30);
    await batch(20, 1.5);
    await batch(30, 1);
  };
  /** Reads the resume point when ClickHouse has been running for some minutes. */
  const resumed = (minutes: number) => {
    const { checkpoints, writer } = system.parts;
    const aged: typeof writer = {
      ...writer,
      rows: async <Row>(...given: Parameters<typeof writer.rows>) =>
        (await writer.rows<Record<string, unknown>>(...given)).map((row) => ({
          ...row,
          ...('uptime' in row && { uptime: minutes * 60 + (Date.now() - nowMs) / 1_000 }),
        })) as Row[],
    };
    return readResumePoint({ checkpoints, writer: aged, here: { logId: 'log', head: 100n } }, key);
  };

  it('is the newest batch while ClickHouse has not restarted', async () => {
    await threeBatches();
    expect(await resumed(2)).to.deep.include({ position: 30n, cuts: [] });
  });

  it('is a minute further back after a restart, and batches end at the same positions', async () => {
    await threeBatches();
    expect(await resumed(0.5)).to.deep.include({ position: 10n, cuts: [20n, 30n] });
  });

  describe('after old progress is pruned', () => {
    const dropped = () => pruneProgress(system.writer, { keepMs: 20 * minuteMs, minRows: 1 });
    const left = async () =>
      (
        await system.writer.rows<{ pos: string }>(
          'SELECT toString(pos) AS pos FROM progress_coffee_g1 ORDER BY progress_coffee_g1.pos',
        )
      ).map(({ pos }) => Number(pos));

    it('is unchanged', async () => {
      await batch(5, 90);
      await batch(8, 60);
      await threeBatches();
      const [before, restarted] = [await resumed(2), await resumed(0.5)];
      await dropped();
      expect(await left()).to.deep.equal([10, 20, 30]);
      expect([await resumed(2), await resumed(0.5)]).to.deep.equal([before, restarted]);
    });

    it('is unchanged for a generation that has not moved since', async () => {
      await batch(10, 100_000);
      await batch(20, 99_990);
      await batch(30, 99_989);
      const before = await resumed(0.5);
      await dropped();
      expect(await left()).to.deep.equal([10, 20, 30]);
      expect(await resumed(0.5)).to.deep.equal(before);
      await batch(40, 1);
      await dropped();
      expect(await left()).to.deep.equal([30, 40]);
    });

    it('is unchanged because few rows are not pruned', async () => {
      await batch(10, 60);
      await batch(20, 1);
      await dropped();
      expect(await left()).to.deep.equal([10, 20]);
    });
  });

  it('is the start when no progress is left', async () => {
    expect(await resumed(1_000)).to.deep.include({ position: 0n, cuts: [30n] });
  });
});
