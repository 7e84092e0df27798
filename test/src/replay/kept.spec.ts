import { setTimeout as sleep } from 'node:timers/promises';
import { holdGeneration, releaseGeneration } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type Replaying, replaying } from './replaying.fixture.ts';

/** Two looks at which generations there are, and a batch. */
const longEnoughMs = 2_500;
const backs = 4;

describe('a kept generation', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await system.tell(1);
    await system.replay('status');
  });
  after(() => system.close());

  const standing = async (generation: number) =>
    (await system.parts.checkpoints.read({ projection: 'status', generation })).position;

  it('waits for a stuck live generation and can be rolled back to', async () => {
    const live = { projection: 'status', generation: 2 };
    await system.caughtUp('status', [1, 2]);
    expect(await holdGeneration(system.postgres, live, 20_000)).to.equal(true);
    await system.tell(2);
    await system.caughtUp('uptime', [1]);
    await sleep(longEnoughMs);
    const [kept, stuck] = [await standing(1), await standing(2)];
    expect(kept <= stuck, `kept at ${kept}, live at ${stuck}`).to.equal(true);
    await releaseGeneration(system.postgres, live, 0n);
    const back = await system.conduct(await system.planRollback('status'));
    expect(back).to.include({ state: 'done', kind: 'rollback', from: 2, to: 1, error: null });
  });

  it('is rolled back to at once under traffic, also when its batch extends past the live one', async () => {
    const stop = new AbortController();
    const coming = (async () => {
      for (let round = 40; !stop.signal.aborted; round += 1) await system.tell(round % 90);
    })();
    const stopped: unknown[] = [];
    const parts = system.partsOf('one');
    const log = Object.create(parts.log, { warn: { value: (of: unknown) => stopped.push(of) } }) as typeof parts.log;
    for (let back = 0; back < backs; back += 1)
      expect(await system.conduct(await system.planRollback('status'), { ...parts, log })).to.include({
        state: 'done',
      });
    stop.abort();
    await coming;
    expect(stopped.map((of) => String((of as { err?: unknown }).err ?? of))).to.deep.equal([]);
  });

  it('never gets ahead of the live generation under traffic after the roles are swapped', async () => {
    const stop = new AbortController();
    const coming = (async () => {
      for (let round = 5; !stop.signal.aborted; round += 1) await system.tell(round % 90);
    })();
    let met = 0;
    const looking = (async () => {
      while (!stop.signal.aborted) {
        // The kept one first: the live one only goes on between the two looks.
        const kept = await standing(2);
        expect(kept <= (await standing(1)), `look ${met}`).to.equal(true);
        met += 1;
      }
    })();
    await sleep(longEnoughMs);
    stop.abort();
    await Promise.all([coming, looking]);
    expect(met).to.be.greaterThan(5);
    await waitUntil(
      () => Promise.all([standing(1), standing(2)]),
      ([live, kept]) => live === kept,
    );
  });
});
