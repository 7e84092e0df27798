import { registerProjection } from '@popsvc/platform/postgres';
import { progress } from '@popsvc/read-models/tables';
import { generationTable } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { readResumePoint } from '@popsvc/projectors/engine';
import { pruneProgress } from '@popsvc/read-models/generations';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

const key = { projection: 'coffee', generation: 2 };
const minuteMs = 60_000;

describe('where a generation goes on', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await registerProjection(system.postgres, 'coffee', 1);
  });
  beforeEach(async () => {
    await system.writer.run('TRUNCATE TABLE progress_g1');
    await system.postgres.query('DELETE FROM checkpoints');
    await system.postgres.query(
      `INSERT INTO checkpoints (projection, generation, position, begun, log_id) VALUES ('coffee', 2, 30, 30, 'log')`,
    );
  });
  after(() => system.close());

  /** A batch up to a position; under no epoch it is what a build says when it is made. */
  const batch = (pos: number, minutesAgo: number, epoch = 1) =>
    system.writer.run(
      `INSERT INTO ${generationTable(progress, 1)} (projection, generation, pos, epoch, written_at)
       VALUES ('coffee', 2, ${pos}, ${epoch}, fromUnixTimestamp64Milli(${Date.now() - minutesAgo * minuteMs}))`,
    );
  const threeBatches = async () => {
    await batch(10, 30);
    await batch(20, 1.5);
    await batch(30, 1);
  };
  /** ClickHouse runs for so long; its clock is not asked. */
  const resumed = (minutes: number) => {
    const { checkpoints, writer } = system.parts;
    const aged: typeof writer = {
      ...writer,
      rows: async <Row>(...given: Parameters<typeof writer.rows>) =>
        (await writer.rows<Record<string, unknown>>(...given)).map((row) => ({
          ...row,
          ...('uptime' in row && { uptime: minutes * 60 }),
        })) as Row[],
    };
    return readResumePoint({ checkpoints, writer: aged, here: { logId: 'log', head: 100n } }, key);
  };

  it('is the newest batch, while the server is the one it was written to', async () => {
    await threeBatches();
    expect(await resumed(2)).to.deep.include({ position: 30n, cuts: [] });
  });

  it('is a minute further back once it was restarted, and batches end where they ended', async () => {
    await threeBatches();
    expect(await resumed(0.5)).to.deep.include({ position: 10n, cuts: [20n, 30n] });
  });

  it('is never further back than the end of a build, which is mended and not folded again', async () => {
    await batch(20, 5, 0);
    await batch(30, 1);
    expect(await resumed(0.5)).to.deep.include({ position: 20n, cuts: [30n] });
  });

  describe('when what was written long ago is dropped', () => {
    const dropped = () => pruneProgress(system.writer, { keepMs: 20 * minuteMs, minRows: 1 });
    const left = async () =>
      (
        await system.writer.rows<{ pos: string }>(
          'SELECT toString(pos) AS pos FROM progress_g1 ORDER BY progress_g1.pos',
        )
      ).map(({ pos }) => Number(pos));

    it('is where it was, of whatever is told', async () => {
      await batch(5, 90, 0);
      await batch(8, 60);
      await threeBatches();
      const [before, restarted] = [await resumed(2), await resumed(0.5)];
      await dropped();
      expect(await left()).to.deep.equal([10, 20, 30]);
      expect([await resumed(2), await resumed(0.5)]).to.deep.equal([before, restarted]);
    });

    it('is where it was of one that has stood still since', async () => {
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

    it('waits until it is worth it', async () => {
      await batch(10, 60);
      await batch(20, 1);
      await dropped();
      expect(await left()).to.deep.equal([10, 20]);
    });
  });

  it('is the start where nothing is left', async () => {
    expect(await resumed(1_000)).to.deep.include({ position: 0n, cuts: [30n] });
  });
});
