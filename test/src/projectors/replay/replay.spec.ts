import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { readTables } from '../rebuild.fixture.ts';
import { dropGenerations, type ReplaySystem } from './replay-system.fixture.ts';
import { type ReplayedSystem, startReplayed } from './replayed.fixture.ts';

// Each test runs whole replays. Further ones are in replay-cases.e2e.spec.ts.
describe('a replay', () => {
  let replayed: ReplayedSystem;
  let system: ReplaySystem;
  before(async () => {
    replayed = await startReplayed(['registry', 'coffee']);
    ({ system } = replayed);
  });
  after(() => system.close());

  it('rebuilds coffee and switches readers', () => replayed.expectRebuilt('coffee'));

  it('leaves both generations running and readers on the new one', async () => {
    await replayed.appendRound();
    await system.waitUntilCaughtUp('coffee', [1, 2]);
    expect(await replayed.countLiveRows('plays')).to.equal(replayed.plays());
    expect((await readTables(system, 1))['plays']).to.have.length(replayed.plays());
  });

  it('is rolled back, and again', async () => {
    const before = await replayed.liveOf('coffee');
    const back = await system.runReplay(await system.planRollback('coffee'));
    expect(back).to.include({ state: 'done', kind: 'rollback', from: before, to: 1 });
    expect(await system.generations('coffee')).to.deep.equal({ 1: 'live', 2: 'kept' });
    await replayed.appendRound();
    await waitUntil(
      () => replayed.countLiveRows('plays'),
      (rows) => rows === replayed.plays(),
    );
    const again = await system.runReplay(await system.planRollback('coffee'));
    expect(again).to.include({ state: 'done', from: 1, to: before });
    expect(await replayed.countLiveRows('plays')).to.equal(replayed.plays());
  });

  it('names the differences and leaves readers on the live generation', async () => {
    const from = await replayed.liveOf('coffee');
    await waitUntil(
      () => replayed.countLiveRows('coffee'),
      (rows) => rows > 0,
    );
    await system.writer.run(
      `INSERT INTO plays_g${from} SELECT * REPLACE ('another' AS content_hash) FROM plays_g${from} LIMIT 1`,
    );
    const { state, error, verified, differences, to } = await system.replay('coffee', true);
    expect({ state, verified }).to.deep.equal({ state: 'failed', verified: false });
    expect(error).to.include('other rows');
    expect(differences).to.deep.equal([
      {
        table: 'plays',
        network: 1,
        day: '2026-08-20',
        rows_before: replayed.plays(),
        rows_after: replayed.plays(),
        columns: null,
      },
    ]);
    await dropGenerations(system.dependenciesOf('one'));
    expect(await system.listTables('coffee', to)).to.deep.equal([]);
    expect(await system.generations('coffee')).to.deep.equal({ 1: 'kept', [from]: 'live' });
  });
});
