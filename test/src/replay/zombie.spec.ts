import { readHeldPosition, holdGeneration, releaseGeneration } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { before as gated, compares, gate, leftBy } from './gate.fixture.ts';
import { type Replaying, replaying } from './replaying.fixture.ts';

const isCopied = (query: string) => query.startsWith('DROP TABLE') && query.includes('_at_');

/** Stopped for a while, so that another took its place, and then back: it does not know that it was away. */
describe('a replay process that lost its lease and resumes', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await system.tell(1);
  });
  after(() => system.close());

  it('does not disturb the comparison of the new process', async () => {
    await system.caughtUp('uptime', [1]);
    const replay = await system.plan('uptime', true);
    const [asleep, comparing] = [gate(), gate()];
    const zombie = system
      .conduct(replay, gated(system.partsOf('zombie'), 'run', isCopied, asleep.pass))
      .catch(() => undefined);
    await asleep.reached();
    await system.forgetLeases();
    const next = system.conduct(replay, gated(system.partsOf('next'), 'rows', compares, comparing.pass));
    await comparing.reached();
    // What is live moves on meanwhile: copies made now are others.
    await system.tell(2);
    await system.caughtUp('uptime', [1]);
    asleep.open();
    await zombie;
    comparing.open();
    expect(await next).to.include({ state: 'done', verified: true, error: null });
    expect((await leftBy(system)).copies).to.deep.equal([]);
  });

  it('neither prolongs nor ends the pause of the new process', async () => {
    const key = { projection: 'status', generation: 1 };
    expect(await holdGeneration(system.postgres, key, 10_000, 1n)).to.equal(true);
    expect(await holdGeneration(system.postgres, key, 10_000, 2n)).to.equal(true);
    await system.tell(3);
    expect(await holdGeneration(system.postgres, key, 60_000, 1n)).to.equal(false);
    await releaseGeneration(system.postgres, key, 1n);
    const { rows } = await system.postgres.query<{ held: boolean }>(
      `SELECT held_until BETWEEN now() AND now() + interval '10 seconds' AS held FROM generations WHERE projection = 'status'`,
    );
    expect(rows).to.deep.equal([{ held: true }]);
    await releaseGeneration(system.postgres, key, 2n);
    expect(await readHeldPosition(system.postgres, key)).to.equal(undefined);
  });
});
