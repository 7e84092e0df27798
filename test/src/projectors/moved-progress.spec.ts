import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { openGenerations } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestServices, type TestServices } from '../support/test-services.ts';

const log = createLog('test', 'silent');

/** The progress table of releases before partitions. */
const sharedTable = `CREATE TABLE progress_g1 (\`projection\` LowCardinality(String), generation UInt32, pos UInt64, as_of DateTime64(3, 'UTC'),
  rows UInt64, epoch UInt64, written_at DateTime64(3, 'UTC'))
  ENGINE = ReplacingMergeTree ORDER BY (projection, generation, pos)`;

describe('the progress table of a release before partitions', function () {
  let system: TestServices;
  before(async () => {
    system = await startTestServices();
    await openGenerations({ ...system, log }, allProjections);
    await system.register(smallRegistry);
    await system.play({ eventId: 'one' });
    await system.play({ eventId: 'two' });
    await system.project();
  });
  after(() => system.close());

  const readProgress = (name: string) => system.writer.rows(`SELECT * FROM ${progressTable(name)} FINAL ORDER BY ALL`);
  const readAll = async () =>
    Object.fromEntries(
      await Promise.all(allProjections.map(async ({ name }) => [name, await readProgress(name)] as const)),
    );
  /** Puts the rows of all projections into the shared table, as the former release wrote them. */
  const shareProgress = async (emptied: readonly string[]) => {
    await system.writer.run(sharedTable);
    for (const { name } of allProjections)
      await system.writer.run(
        `INSERT INTO progress_g1 SELECT '${name}', generation, pos, as_of, rows, epoch, written_at FROM ${progressTable(name)}`,
      );
    for (const name of emptied) await system.writer.run(`TRUNCATE TABLE ${progressTable(name)}`);
  };
  const expectMoved = async (expected: Awaited<ReturnType<typeof readAll>>) => {
    const opened = await openGenerations({ ...system, log }, allProjections);
    expect(opened.flatMap(({ damage = [] }) => damage)).to.deep.equal([]);
    expect(await readAll()).to.deep.equal(expected);
    const left = await system.writer.rows(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND name = 'progress_g1'`,
    );
    expect(left).to.deep.equal([]);
  };

  it('is moved to the tables of the projections', async () => {
    const before = await readAll();
    expect(before['coffee']).to.not.deep.equal([]);
    await shareProgress(allProjections.map(({ name }) => name));
    await expectMoved(before);
  });

  it('is moved again after a process was killed while it moved', async () => {
    const before = await readAll();
    await shareProgress(['uptime', 'status']);
    await expectMoved(before);
  });
});
