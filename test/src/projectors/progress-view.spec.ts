import { registerProjection } from '@popsvc/platform/postgres';
import { pointProgressView } from '@popsvc/read-models/generations';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { projectionNamed } from './replay/replay-system.fixture.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

const table = progressTable('status');

describe('the view of progress', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await registerProjection(system.postgres, 'status', 1);
    await pointProgressView(system.writer, [{ projection: projectionNamed('status'), generation: 3, partitions: 2 }]);
  });
  beforeEach(() => system.writer.run(`TRUNCATE TABLE ${table}`));
  after(() => system.close());

  /** Writes the progress of a batch. `changed`: end of the last batch with facts. */
  const batch = (pos: number, changed: number, { generation = 3, partitions = 2, partition = 0 } = {}) =>
    system.writer.run(
      `INSERT INTO ${table} (generation, partitions, partition, pos, as_of, changed_pos, written_at)
       VALUES (${generation}, ${partitions}, ${partition}, ${pos}, fromUnixTimestamp64Milli(${pos}), ${changed}, now64(3))`,
    );
  const read = () =>
    system.writer.rows(
      `SELECT toFloat64(pos) AS pos, toFloat64(changed_pos) AS changed, toFloat64(toUnixTimestamp64Milli(as_of)) AS asOf
       FROM progress_live WHERE projection = 'status'`,
    );

  it('shows what all partitions have reached, and where the facts of any changed last', async () => {
    await batch(10, 10);
    await batch(20, 10);
    await batch(15, 12, { partition: 1 });
    expect(await read()).deep.equal([{ pos: 15, changed: 12, asOf: 15 }]);
    await batch(30, 30);
    expect(await read()).deep.equal([{ pos: 15, changed: 30, asOf: 15 }]);
  });

  it('shows no position until each partition has written a batch', async () => {
    expect(await read()).deep.equal([]);
    await batch(10, 10);
    expect(await read()).deep.equal([{ pos: 0, changed: 10, asOf: 0 }]);
  });

  it('does not show other generations and numbers of partitions', async () => {
    await batch(10, 10, { generation: 2 });
    await batch(10, 10, { partitions: 1 });
    expect(await read()).deep.equal([]);
  });

  it('does not go back while events are folded again', async () => {
    for (const partition of [0, 1]) await batch(20, 20, { partition });
    await batch(10, 10);
    expect(await read()).deep.equal([{ pos: 20, changed: 20, asOf: 20 }]);
  });
});
