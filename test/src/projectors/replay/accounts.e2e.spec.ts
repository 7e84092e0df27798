import { type EventTypeAccount, planReplay } from '@popsvc/platform/postgres';
import { compareWithLog, runReplay } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import type { Projection } from '@popsvc/projectors/engine';
import { projectionNamed, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

describe('the event accounts of a generation', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee', 'uptime'] });
    await system.appendRound(1);
    await system.appendRound(2);
    for (const name of ['coffee', 'uptime']) await system.waitUntilCaughtUp(name, [1]);
  });
  after(() => system.close());

  const named = (accounts: readonly EventTypeAccount[] | null) =>
    Object.fromEntries((accounts ?? []).map(({ type, ...of }) => [type, of]));

  it('match the log for each type', async () => {
    const { state, verified, accounts } = await system.replay('coffee', true);
    expect({ state, verified }).to.deep.equal({ state: 'done', verified: true });
    const of = named(accounts);
    expect(of['PlaysRecorded']).to.deep.equal({
      in_log: 4,
      with_rows: 4,
      skipped: 0,
      without_rows: 0,
      is_consistent: true,
    });
    expect(of['DetectionsRecorded']).to.include({ in_log: 2, with_rows: 2 });
    // One of the two heartbeats of each round is a feeder's.
    expect(of['HeartbeatsRecorded']).to.include({ in_log: 4, with_rows: 2, without_rows: 2, is_consistent: true });
    expect(of['NetworkRegistered']).to.include({ in_log: 1, is_consistent: true });
    expect(Object.values(of).every(({ is_consistent: isRight }) => isRight)).to.equal(true);
  });

  /** A fold that ignores the events of a type. */
  const dropping = (projection: Projection, type: string): Projection => ({
    ...projection,
    version: projection.version + 1,
    createFold() {
      const fold = projection.createFold();
      return {
        get pending() {
          return fold.pending;
        },
        restore: (item) => fold.restore(item),
        apply: (item, at) => {
          if (item.type !== type) fold.apply(item, at);
        },
        seal: (range) => fold.seal(range),
      };
    },
  });

  it('name a type that the fold drops, also when other rows are expected', async () => {
    const planted = dropping(projectionNamed('uptime'), 'IntervalsRecorded');
    const { name: projection, version } = planted;
    const replay = (await planReplay(system.postgres, { projection, version, verify: true }))!;
    await runReplay(system.dependenciesOf('planted'), replay, planted, new AbortController().signal);
    const { state, verified, error, accounts, differences } = await system.findReplay(replay.id);
    expect({ state, verified }).to.deep.equal({ state: 'failed', verified: false });
    expect(error).to.include('IntervalsRecorded (2 in the log; 0 made rows, 0 were parked, 2 made none)');
    expect(named(accounts)['IntervalsRecorded']).to.include({ is_consistent: false });
    expect(named(accounts)['HeartbeatsRecorded']).to.include({ is_consistent: true });
    expect(differences.map(({ table }) => table)).to.deep.equal(['intervals']);
    expect(await system.generations('uptime')).to.include({ 1: 'live' });
  });

  it('do not match when events were skipped or read twice', () => {
    const tally = { A: { rows: 2, skipped: 1, none: 0 }, B: { rows: 2, skipped: 0, none: 0 } };
    const accounts = compareWithLog({ rowEventTypes: ['A'] }, { A: 3, B: 1, C: 1 }, tally);
    expect(accounts.map(({ type, is_consistent }) => [type, is_consistent])).to.deep.equal([
      ['A', true],
      ['B', false],
      ['C', false],
    ]);
  });
});
