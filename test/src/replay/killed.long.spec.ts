import { expect } from 'chai';
import fc from 'fast-check';
import { told } from '../projectors/rebuilt.fixture.ts';
import { roundsOf } from '../support/rounds.ts';
import { mortalReplay } from './mortal-replay.fixture.ts';
import { dropGenerations, type Replaying, replaying } from './replaying.fixture.ts';
import { steadyReader } from './steady-readers.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const rounds = roundsOf(2, 100);
const seed = Number(process.env['SEED'] ?? 20_261_123);

/** Whoever conducts a replay is killed at any step, and again; another goes on, and no reader ever sees a step back. */
describe(`replays whose processes are killed (${rounds} rounds, seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 300_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
  });
  after(() => system.close());

  /** One that tells how many steps there are to die at. */
  const unharmed = async (): Promise<number> => {
    const { parts, steps } = mortalReplay(system.partsOf('unharmed'), Infinity);
    const { state } = await system.conduct(await system.plan('coffee', true), parts);
    expect(state).to.equal('done');
    return steps();
  };

  it('leave the same rows, complete tables and no leftovers', async () => {
    for (let round = 1; round <= 5; round += 1) await system.tell(round);
    const reader = steadyReader(system.writer);
    const most = await unharmed();
    const deaths = fc.sample(fc.array(fc.integer({ min: 1, max: most }), { minLength: 1, maxLength: 2 }), {
      seed,
      numRuns: rounds,
    });
    let died = 0;
    for (const [round, lives] of deaths.entries()) {
      await system.tell(10 + round);
      const isRollback = round % 4 === 3;
      const replay = isRollback ? await system.planRollback('coffee') : await system.plan('coffee', round % 2 === 0);
      for (const [life, dieAt] of lives.entries()) {
        const { parts, dead } = mortalReplay(system.partsOf(`life ${round}.${life}`), dieAt);
        await system.conduct(replay, parts, dead).catch(() => undefined);
        died += Number(dead.aborted);
        await system.forgetLeases();
      }
      const { state, from, to, error } = await system.conduct(replay, system.partsOf(`end ${round}`));
      expect({ state, error: state === 'done' ? null : error }, `round ${round}`).to.deep.equal({
        state: 'done',
        error: null,
      });
      const generations = await system.generations('coffee');
      expect(generations, `round ${round}`).to.include({ [from]: 'kept', [to]: 'live' });
      await system.caughtUp('coffee', [from, to]);
      expect(await told(system, to), `round ${round}`).to.deep.equal(await told(system, from));
    }
    expect(died).to.be.at.least(rounds / 2);
    await dropGenerations(system.partsOf('sweep'));
    const left = await system.writer.rows<{ name: string }>(
      `SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_at_[0-9]')`,
    );
    expect(left, 'copies that were compared').to.deep.equal([]);
    expect(await reader.stop()).to.be.greaterThan(10);
    expect(reader.complaints).to.deep.equal([]);
  });
});
