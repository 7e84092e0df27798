import { registerProjection } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { renewProgressView } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

const table = progressTable('registry');

describe('the view of progress', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await registerProjection(system.postgres, 'registry', 1);
  });
  beforeEach(() => system.writer.run(`TRUNCATE TABLE ${table}`));
  after(() => system.close());

  /** Writes the progress of a batch. `rows`: its facts. */
  const batch = (pos: number, minutesAgo: number, rows: number) =>
    system.writer.run(
      `INSERT INTO ${table} (generation, partitions, partition, pos, as_of, rows, epoch, written_at)
       VALUES (1, 1, 0, ${pos}, fromUnixTimestamp64Milli(${pos}), ${rows}, 1, now64(3) - INTERVAL ${minutesAgo} MINUTE)`,
    );
  const renew = () => renewProgressView(system.postgres, system.writer, allProjections);
  const read = () =>
    system.writer.rows(
      `SELECT toFloat64(pos) AS pos, toFloat64(changed_pos) AS changed, toFloat64(toUnixTimestamp64Milli(as_of)) AS asOf
       FROM progress_live WHERE projection = 'registry'`,
    );
  /** Positions of the batches that the view reads. */
  const readShown = async () => {
    const [{ query } = { query: '' }] = await system.writer.rows<{ query: string }>(
      `SELECT as_select AS query FROM system.tables WHERE database = currentDatabase() AND name = 'progress_live'`,
    );
    const first = /pos >= (\d+)/.exec(query)![1]!;
    const rows = await system.writer.rows<{ pos: number }>(
      `SELECT toFloat64(pos) AS pos FROM ${table} AS p WHERE p.pos >= ${first} ORDER BY p.pos`,
    );
    return rows.map(({ pos }) => pos);
  };

  it('reads the batches of the last hour', async () => {
    for (const [pos, minutesAgo] of [
      [10, 300],
      [20, 90],
      [30, 61],
      [40, 20],
      [50, 1],
    ] as const)
      await batch(pos, minutesAgo, 1);
    await renew();
    expect(await readShown()).deep.equal([30, 40, 50]);
    expect(await read()).deep.equal([{ pos: 50, changed: 50, asOf: 50 }]);
  });

  it('reads the last batch with facts, however old it is', async () => {
    await batch(10, 300, 5);
    await batch(20, 90, 0);
    await batch(30, 1, 0);
    await renew();
    expect(await read()).deep.equal([{ pos: 30, changed: 10, asOf: 30 }]);
    await batch(40, 0, 0);
    expect(await read()).deep.equal([{ pos: 40, changed: 10, asOf: 40 }]);
  });

  it('shows a generation that has written nothing, and its first batch', async () => {
    await renew();
    expect(await read()).deep.equal([]);
    await batch(10, 0, 1);
    expect(await read()).deep.equal([{ pos: 10, changed: 10, asOf: 10 }]);
  });
});
