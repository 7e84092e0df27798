import { expect } from 'chai';
import { readTables } from '../rebuild.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** A restored PostgreSQL lacks the generations that were built since its copy; ClickHouse still has their tables. */
describe('a replay into a generation number that was used before', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'uptime'] });
    await system.appendRound(1);
    await system.waitUntilCaughtUp('uptime', [1]);
  });
  after(() => system.close());

  it('starts with empty tables', async () => {
    await system.writer.run('CREATE TABLE heartbeats_g2 AS heartbeats_g1');
    await system.writer.run(
      'INSERT INTO heartbeats_g2 SELECT * REPLACE (77 AS device_id, 77 AS feeder_id) FROM heartbeats_g1',
    );
    expect(await system.replay('uptime', true)).to.include({ state: 'done', to: 2, verified: true, error: null });
    expect(await readTables(system, 2, 'uptime')).to.deep.equal(await readTables(system, 1, 'uptime'));
  });
});
