import { intakeStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { listEvents } from '../../support/list-events.ts';

const months = 300;
const monthAt = (index: number) => new Date(Date.UTC(2000, index, 15)).toISOString();

describe('a vendor who sends plays of every month since 2000 at once', () => {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
    await system.appendAll(
      intakeStream('pop', 1, 'acme', Date.now()),
      listEvents(
        'PlaysRecorded',
        Array.from({ length: months }, (_, index) => ({
          eventId: `play-${index}`,
          screenId: 'screen-1',
          campaignId: 'C-100',
          creativeId: 'CR-1',
          playedAt: monthAt(index),
          durationMs: 10_000,
        })),
        100,
      ),
    );
    await system.projectOne('coffee');
  });
  after(() => system.close());

  it('fills a bounded number of partitions, for each of which an insert waits for the disk', async () => {
    const [{ partitions }] = (await system.writer.rows<{ partitions: number }>(
      `SELECT toUInt32(uniqExact(partition)) AS partitions FROM system.parts
       WHERE database = currentDatabase() AND table = 'coffee_g1' AND active`,
    )) as [{ partitions: number }];
    // 24 years, and the months of 2024.
    expect(partitions).to.equal(24 + 12);
  });

  it('has all of them in the report, each in its place', async () => {
    const rows = await system.writer.rows<{ at: string }>(
      `SELECT formatDateTime(ts, '%Y-%m') AS at FROM coffee_live ORDER BY network_id, ts, number`,
    );
    expect(rows.map(({ at }) => at)).to.deep.equal(
      Array.from({ length: months }, (_, index) => monthAt(index).slice(0, 7)),
    );
    const [{ found }] = (await system.writer.rows<{ found: number }>(
      `SELECT toUInt32(count()) AS found FROM coffee_live
       WHERE network_id = 1 AND ts >= '2011-03-01 00:00:00' AND ts < '2011-06-01 00:00:00'`,
    )) as [{ found: number }];
    expect(found).to.equal(3);
  });
});
