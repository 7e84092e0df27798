import { groupFacts } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { changedCoffee, expectSameRows, replayChanged, rounds, startWithFacts } from './from-facts.fixture.ts';
import type { ReplaySystem } from './replay-system.fixture.ts';

// Each test runs whole replays. Further ones are in from-facts-cases.e2e.spec.ts.
describe('a replay from facts', () => {
  let system: ReplaySystem;
  before(async () => (system = await startWithFacts(['registry', 'coffee'])));
  after(() => system.close());

  it('derives the rows of coffee in all tables without the log', () => expectSameRows(system, 'coffee', 'plays'));

  it('with a changed derivation lists the changed columns by network and day, and switches', async () => {
    const { state, verified, differences, error, from, to } = await replayChanged(system, changedCoffee());
    expect({ state, verified, error }).to.deep.equal({ state: 'done', verified: false, error: null });
    expect(differences).to.deep.equal([
      { table: 'coffee', network: 1, day: '2026-07-31', rows_before: 1, rows_after: 1, columns: ['play_reason'] },
      {
        table: 'coffee',
        network: 1,
        day: '2026-08-20',
        rows_before: rounds,
        rows_after: rounds,
        columns: ['play_reason'],
      },
    ]);
    expect(await system.generations('coffee')).to.include({ [from]: 'kept', [to]: 'live' });
  });
});

describe('the ranges that a replay from facts derives', () => {
  const month = (text: string) => Date.parse(`${text}-01T00:00:00.000Z`);

  it('contain networks of one month with at most the limit of facts, or one network', () => {
    const counted = [
      { month: 202512, network: 1, facts: 4 },
      { month: 202512, network: 2, facts: 6 },
      { month: 202512, network: 5, facts: 1 },
      { month: 202601, network: 1, facts: 30 },
      { month: 202601, network: 2, facts: 2 },
      { month: 202601, network: 3, facts: 8 },
    ];
    const december = { month: 202512, fromMs: month('2025-12'), toMs: month('2026-01') };
    const january = { month: 202601, fromMs: month('2026-01'), toMs: month('2026-02') };
    expect(groupFacts(counted, 10)).to.deep.equal([
      { network: 1, lastNetwork: 2, facts: 10, ...december },
      { network: 5, lastNetwork: 5, facts: 1, ...december },
      { network: 1, lastNetwork: 1, facts: 30, ...january },
      { network: 2, lastNetwork: 3, facts: 10, ...january },
    ]);
    expect(groupFacts([], 10)).to.deep.equal([]);
  });
});
