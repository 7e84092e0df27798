import { expect } from 'chai';
import { coffeeSystem } from './coffee.fixture.ts';

const worked = [
  ['A', 4, 1.2, 30, [1, 1, 1, 0, 0]],
  ['B', 10, 9, 90, [1, 1, 1, 1, 1]],
  ['C', 10, 0.3, 3, [1, 1, 0, 0, 0]],
  ['D', 1.4, 0, 0, [1, 0, 0, 0, 0]],
];

describe('the measures of coffee in the worked example', () => {
  const coffee = coffeeSystem();

  it('are right when the plays come first', async () => {
    await coffee.projectAfterEach(coffee.spots);
    expect((await coffee.rows()).map((row) => [row['EVENT_ID'], row['POP_TYPE'], row['WATCHERID']])).to.deep.equal(
      ['A', 'B', 'C', 'D'].map((event) => [event, 'UNMEASURED', null]),
    );
    await coffee.projectAfterEach(coffee.person);
    expect(await coffee.readMeasures()).to.deep.equal(worked);
  });

  it('are right when the detection comes first', async () => {
    await coffee.projectAfterEach(coffee.person, coffee.spots);
    expect(await coffee.readMeasures()).to.deep.equal(worked);
  });
});
