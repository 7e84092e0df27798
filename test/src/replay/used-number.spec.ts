import { expect } from 'chai';
import { told } from '../projectors/rebuilt.fixture.ts';
import { type Replaying, replaying } from './replaying.fixture.ts';

/** PostgreSQL that was restored knows nothing of generations that were built since; ClickHouse still has their tables. */
describe('a replay into a generation number that was used before', function () {
  this.timeout(60_000);
  let house: Replaying;
  before(async () => {
    house = await replaying();
    await house.tell(1);
    await house.caughtUp('uptime', [1]);
  });
  after(() => house.close());

  it('starts with empty tables', async () => {
    await house.writer.run('CREATE TABLE heartbeats_g2 AS heartbeats_g1');
    await house.writer.run(
      'INSERT INTO heartbeats_g2 SELECT * REPLACE (77 AS device_id, 77 AS feeder_id) FROM heartbeats_g1',
    );
    expect(await house.replay('uptime', true)).to.include({ state: 'done', to: 2, verified: true, error: null });
    expect(await told(house, 2, 'uptime')).to.deep.equal(await told(house, 1, 'uptime'));
  });
});
