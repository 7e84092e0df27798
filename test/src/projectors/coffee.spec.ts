import { coffeeDataset } from '@popsvc/contracts/datasets';
import { expect } from 'chai';
import { projecting, type Projecting } from '../support/projecting.ts';
import { smallRegistry } from '../support/small-registry.ts';

const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1000).toISOString();
const watch = (from: number, to: number) => ({ startedAt: at(from), endedAt: at(to) });

describe('coffee', () => {
  let house: Projecting;
  before(async () => {
    house = await projecting();
    await house.register(smallRegistry);
  });
  after(() => house.close());

  const spots = () =>
    Promise.all(
      ['A', 'B', 'C', 'D'].map((eventId, index) =>
        house.play({ eventId, playedAt: at(index * 10), durationMs: 10_000 }),
      ),
    );
  const person = () =>
    house.detection({
      detectionId: 'person',
      startedAt: at(6),
      endedAt: at(31.4),
      watches: [watch(8, 9.2), watch(10, 19), watch(25, 25.3)],
    });
  const figures = async () =>
    (await house.rows(coffeeDataset)).map((row) => [
      row['EVENT_ID'],
      row['DURATION_IMPRESSION'],
      row['WATCH_TIME'],
      row['ATTENTION'],
      [row['IS_IMPRESSION'], row['IS_WATCHED'], row['IS_GLANCE'], row['IS_VIEW'], row['IS_VIEW_THROUGH']],
    ]);
  const worked = [
    ['A', 4, 1.2, 30, [1, 1, 1, 0, 0]],
    ['B', 10, 9, 90, [1, 1, 1, 1, 1]],
    ['C', 10, 0.3, 3, [1, 1, 0, 0, 0]],
    ['D', 1.4, 0, 0, [1, 0, 0, 0, 0]],
  ];

  it('measures the worked example when the plays come first', async () => {
    await spots();
    await house.project();
    expect((await figures()).map(([event, , watchTime]) => [event, watchTime])).to.deep.equal([
      ['A', null],
      ['B', null],
      ['C', null],
      ['D', null],
    ]);
    await person();
    await house.project();
    expect(await figures()).to.deep.equal(worked);
  });
});
