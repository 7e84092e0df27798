import { expect } from 'chai';
import fc from 'fast-check';
import { readTables } from '../rebuild.fixture.ts';
import { chooseRounds, chooseSeed } from '../../support/rounds.ts';
import { crashingReplay } from './killed-replay.fixture.ts';
import { dropGenerations, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';
import { startSteadyReader } from './steady-readers.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const seed = chooseSeed(20_261_123);

/** A coordinator is killed at any step, and again; another one continues, and no reader sees older data after newer data. */
const describeKills = (partitions: number, rounds: number) =>
  describe(`replays of ${partitions === 1 ? 'one partition' : `${partitions} partitions`} whose processes are killed (${rounds} rounds, seed ${seed})`, function () {
    this.timeout(isLong ? 3_600_000 : 300_000);
    let system: ReplaySystem;
    before(async () => {
      system = await startReplaySystem({ partitions, ...(!isLong && { of: ['registry', 'coffee'] }) });
    });
    after(() => system.close());

    /** Runs a replay without a kill and counts its steps. */
    const countSteps = async (): Promise<number> => {
      const { parts, steps } = crashingReplay(system.dependenciesOf('unharmed'), Infinity);
      const { state } = await system.runReplay(await system.plan('coffee', true), parts);
      expect(state).to.equal('done');
      return steps();
    };

    it('leave the same rows, complete tables and no leftovers', async () => {
      for (let round = 1; round <= (isLong ? 5 : 2); round += 1) await system.appendRound(round);
      const reader = startSteadyReader(system.writer, isLong ? 10 : 300);
      const stepCount = await countSteps();
      const killSteps = fc.sample(fc.array(fc.integer({ min: 1, max: stepCount }), { minLength: 1, maxLength: 2 }), {
        seed,
        numRuns: rounds,
      });
      let killed = 0;
      for (const [round, steps] of killSteps.entries()) {
        await system.appendRound(10 + round);
        const isRollback = round % 4 === 3;
        const source = round % 4 < 2 ? 'facts' : 'log';
        const replay = isRollback
          ? await system.planRollback('coffee')
          : await system.plan('coffee', round % 2 === 0, source);
        for (const [run, killAt] of steps.entries()) {
          const { parts, dead } = crashingReplay(system.dependenciesOf(`run ${round}.${run}`), killAt);
          await system.runReplay(replay, parts, dead).catch(() => undefined);
          killed += Number(dead.aborted);
          await system.expireLeases();
        }
        const { state, from, to, error } = await system.runReplay(replay, system.dependenciesOf(`end ${round}`));
        expect({ state, error: state === 'done' ? null : error }, `round ${round}`).to.deep.equal({
          state: 'done',
          error: null,
        });
        const generations = await system.generations('coffee');
        expect(generations, `round ${round}`).to.include({ [from]: 'kept', [to]: 'live' });
        await system.waitUntilCaughtUp('coffee', [from, to]);
        expect(await readTables(system, to), `round ${round}`).to.deep.equal(await readTables(system, from));
      }
      expect(killed).to.be.at.least(rounds / 2);
      await dropGenerations(system.dependenciesOf('sweep'));
      const left = await system.writer.rows<{ name: string }>(
        `SELECT name FROM system.tables WHERE database = currentDatabase() AND match(name, '_at_[0-9]')`,
      );
      expect(left, 'snapshots').to.deep.equal([]);
      expect(await reader.stop()).to.be.greaterThan(10);
      expect(reader.decreases).to.deep.equal([]);
    });
  });

describeKills(1, chooseRounds(2, 100));
describeKills(4, chooseRounds(1, 50));
