import { expect } from 'chai';
import { told } from '../projectors/rebuilt.fixture.ts';
import { type Replaying, replaying } from './replaying.fixture.ts';

/** PostgreSQL that was restored knows nothing of generations that were built since; ClickHouse still has their tables. */
describe('a replay into a generation number that was used before', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await system.tell(1);
    await system.caughtUp('uptime', [1]);
  });
  after(() => system.close());

  it('starts with empty tables', async () => {
    await system.writer.run('CREATE TABLE heartbeats_g2 AS heartbeats_g1');
    await system.writer.run(
      'INSERT INTO heartbeats_g2 SELECT * REPLACE (77 AS device_id, 77 AS feeder_id) FROM heartbeats_g1',
    );
    expect(await system.replay('uptime', true)).to.include({ state: 'done', to: 2, verified: true, error: null });
    expect(await told(system, 2, 'uptime')).to.deep.equal(await told(system, 1, 'uptime'));
  });
});
