import { wholeProjection } from '@popsvc/domain/partitioning';
import { registerProjection } from '@popsvc/platform/postgres';
import { markRunVerified } from '@popsvc/read-models/generations';
import { currentRunSql, progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { createProgressWriter, readResumePoint } from '@popsvc/projectors/engine';
import { useFakeTimers } from 'sinon';
import { pretendCrash } from '../replay/lost-parts.fixture.ts';
import { projectionNamed } from '../replay/replay-system.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';

const key = { projection: 'coffee', generation: 2, partition: 0, partitions: 1 };
const target = { projection: projectionNamed('coffee'), generation: 2, partition: wholeProjection };
const secondMs = 1_000;

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
    await checkpointAt(30);
  });
  after(() => system.close());

  const checkpointAt = (position: number, begun = position) =>
    system.postgres.query(
      `INSERT INTO checkpoints (projection, generation, position, begun, log_id) VALUES ('coffee', 2, $1, $2, 'log')
       ON CONFLICT (projection, generation, partition) DO UPDATE SET position = $1, begun = $2`,
      [position, begun],
    );
  const resumed = () => {
    const { checkpoints, writer } = system.parts;
    return readResumePoint({ checkpoints, writer, here: { logId: 'log', head: 100n } }, key);
  };
  const crash = () => pretendCrash(system.writer, 'coffee');
  /** A run writes the progress of batches: their ends, and how many seconds ago each was written. */
  const run = async (...batches: readonly (readonly [end: number, secondsAgo: number])[]) => {
    const [current] = await system.writer.rows<{ current_run: number }>(currentRunSql);
    const write = createProgressWriter(
      target,
      {
        writer: system.writer,
        serverRun: { runAtMs: current!.current_run },
        epoch: 1n,
        runId: batches.join(),
      },
      await resumed(),
    );
    for (const [end, secondsAgo] of batches) {
      const clock = useFakeTimers({ now: nowMs - secondsAgo * secondMs, toFake: ['Date'] });
      try {
        await write({ upTo: BigInt(end), asOfMs: end }, { inserts: [] });
      } finally {
        clock.restore();
      }
    }
  };

  it('is the newest batch while the machine has not crashed', async () => {
    await run([10, 1_800], [20, 90], [30, 60]);
    expect(await resumed()).to.deep.include({ position: 30n, cuts: [] });
  });

  it('is the newest batch after a restart of ClickHouse, which loses nothing', async () => {
    await run([10, 1_800], [20, 90], [30, 60]);
    await system.writer.run('TRUNCATE TABLE verified_runs');
    await markRunVerified(system.writer);
    expect(await resumed()).to.deep.include({ position: 30n, repeatsBatches: false, mayLackRows: false });
  });

  it('is a minute before the newest batch after a crash of the machine', async () => {
    await run([10, 1_800], [20, 90], [30, 60]);
    await crash();
    expect(await resumed()).to.deep.include({ position: 10n, cuts: [30n] });
  });

  it('is a minute before the newest batch, which another run has written', async () => {
    await run([10, 1_800], [20, 130]);
    await run([25, 100], [30, 45]);
    await crash();
    expect(await resumed()).to.deep.include({ position: 20n, reached: 30n });
    await run([31, 40], [40, 39]);
    await checkpointAt(40);
    await crash();
    expect(await resumed()).to.deep.include({ position: 20n, reached: 40n });
  });

  it('goes back no further after a second crash, and less far when the repeated batches are a minute old', async () => {
    await run([10, 1_800], [20, 300], [30, 280]);
    await crash();
    expect(await resumed()).to.deep.include({ position: 10n, reached: 30n });
    await run([18, 200]);
    await checkpointAt(18);
    await crash();
    expect(await resumed()).to.deep.include({ position: 10n, reached: 30n, cuts: [18n, 30n] });
    await run([35, 200], [40, 100], [45, 20]);
    await checkpointAt(45);
    await crash();
    expect(await resumed()).to.deep.include({ position: 40n, reached: 45n });
  });

  it('is as far back if a run ended after its first batch, before its checkpoint', async () => {
    await run([10, 1_800], [20, 90], [30, 60]);
    await crash();
    await run([18, 1]);
    expect(await resumed()).to.deep.include({ position: 10n, reached: 30n });
  });

  it('ends a batch where the last one ended that was announced', async () => {
    await run([10, 1_800], [30, 60]);
    await checkpointAt(30, 34);
    expect(await resumed()).to.deep.include({ position: 30n, cuts: [34n] });
  });

  it('is the checkpoint if PostgreSQL is older than ClickHouse', async () => {
    await run([10, 1_800], [30, 60]);
    await checkpointAt(7);
    expect(await resumed()).to.deep.include({ position: 7n, cuts: [30n] });
  });

  it('is the start when no progress is left', async () => {
    expect(await resumed()).to.deep.include({ position: 0n, cuts: [30n] });
  });
});
