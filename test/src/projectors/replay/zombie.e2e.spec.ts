import { readHeldPositions, holdGeneration, releaseGeneration } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { compares, createGate, interceptStatements, readLeftovers } from './gate.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const isCopied = (query: string) => query.startsWith('DROP TABLE') && query.includes('_at_');

/** A process that was stopped for a while continues without noticing that another process took its place. */
describe('a replay process that lost its lease and resumes', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'uptime', 'status'] });
    await system.appendRound(1);
  });
  after(() => system.close());

  it('does not disturb the comparison of the new process', async () => {
    await system.waitUntilCaughtUp('uptime', [1]);
    const replay = await system.plan('uptime', true);
    const [asleep, comparing] = [createGate(), createGate()];
    const zombie = system
      .runReplay(replay, interceptStatements(system.dependenciesOf('zombie'), 'run', isCopied, asleep.pass))
      .catch(() => undefined);
    await asleep.reached();
    await system.expireLeases();
    const next = system.runReplay(
      replay,
      interceptStatements(system.dependenciesOf('next'), 'rows', compares, comparing.pass),
    );
    await comparing.reached();
    // The live generation continues meanwhile, so snapshots taken now would differ.
    await system.appendRound(2);
    await system.waitUntilCaughtUp('uptime', [1]);
    asleep.open();
    await zombie;
    comparing.open();
    expect(await next).to.include({ state: 'done', verified: true, error: null });
    expect((await readLeftovers(system)).copies).to.deep.equal([]);
  });

  it('neither prolongs nor ends the pause of the new process', async () => {
    const key = { projection: 'status', generation: 1 };
    expect(await holdGeneration(system.postgres, key, 10_000, 1n)).to.equal(true);
    expect(await holdGeneration(system.postgres, key, 10_000, 2n)).to.equal(true);
    await system.appendRound(3);
    expect(await holdGeneration(system.postgres, key, 60_000, 1n)).to.equal(false);
    await releaseGeneration(system.postgres, key, 1n);
    const { rows } = await system.postgres.query<{ held: boolean }>(
      `SELECT held_until BETWEEN now() AND now() + interval '10 seconds' AS held FROM generations WHERE projection = 'status'`,
    );
    expect(rows).to.deep.equal([{ held: true }]);
    await releaseGeneration(system.postgres, key, 2n);
    expect(await readHeldPositions(system.postgres, key)).to.deep.equal(new Map());
  });
});
