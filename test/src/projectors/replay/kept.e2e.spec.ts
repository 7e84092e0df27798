import { setTimeout as sleep } from 'node:timers/promises';
import { holdGeneration, releaseGeneration } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

/** Longer than two readings of the generations to run, and a batch. */
const settleMs = 2_500;
const rollbacks = 4;
/** Between two rounds of the traffic. A batch takes longer. */
const pauseMs = 50;

describe('a kept generation', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'uptime', 'status'] });
    await system.appendRound(1);
    await system.replay('status');
  });
  after(() => system.close());

  const readPosition = async (generation: number) =>
    (await system.parts.checkpoints.read({ projection: 'status', generation })).position;

  it('waits for a stuck live generation and can be rolled back to', async () => {
    const live = { projection: 'status', generation: 2 };
    await system.waitUntilCaughtUp('status', [1, 2]);
    expect(await holdGeneration(system.postgres, live, 20_000)).to.equal(true);
    await system.appendRound(2);
    await system.waitUntilCaughtUp('uptime', [1]);
    await sleep(settleMs);
    const [kept, stuck] = [await readPosition(1), await readPosition(2)];
    expect(kept <= stuck, `kept at ${kept}, live at ${stuck}`).to.equal(true);
    await releaseGeneration(system.postgres, live, 0n);
    const back = await system.runReplay(await system.planRollback('status'));
    expect(back).to.include({ state: 'done', kind: 'rollback', from: 2, to: 1, error: null });
  });

  it('is rolled back to at once under traffic, also when its batch extends past the live one', async () => {
    const stop = new AbortController();
    const traffic = (async () => {
      for (let round = 40; !stop.signal.aborted; round += 1) {
        await system.appendRound(round % 90);
        await sleep(pauseMs);
      }
    })();
    const warnings: unknown[] = [];
    const parts = system.dependenciesOf('one');
    const log = Object.create(parts.log, { warn: { value: (of: unknown) => warnings.push(of) } }) as typeof parts.log;
    for (let back = 0; back < rollbacks; back += 1)
      expect(await system.runReplay(await system.planRollback('status'), { ...parts, log })).to.include({
        state: 'done',
      });
    stop.abort();
    await traffic;
    expect(warnings.map((of) => String((of as { err?: unknown }).err ?? of))).to.deep.equal([]);
  });

  it('never gets ahead of the live generation under traffic after the roles are swapped', async () => {
    const stop = new AbortController();
    const traffic = (async () => {
      for (let round = 5; !stop.signal.aborted; round += 1) {
        await system.appendRound(round % 90);
        await sleep(pauseMs);
      }
    })();
    let checks = 0;
    const checking = (async () => {
      while (!stop.signal.aborted) {
        // The kept position is read first: the live one only grows between the two readings.
        const kept = await readPosition(2);
        expect(kept <= (await readPosition(1)), `check ${checks}`).to.equal(true);
        checks += 1;
        await sleep(pauseMs / 10);
      }
    })();
    await sleep(settleMs);
    stop.abort();
    await Promise.all([traffic, checking]);
    expect(checks).to.be.greaterThan(5);
    await waitUntil(
      () => Promise.all([readPosition(1), readPosition(2)]),
      ([live, kept]) => live === kept,
    );
  });
});
