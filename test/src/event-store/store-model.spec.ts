import { expect } from 'chai';
import fc from 'fast-check';
import { StreamStore } from '@popsvc/embedded/event-store/streams';
import { temporaryFolder } from '@popsvc/tools/rig';
import { type Model, type Step, names, shown, steps, takeStep } from './store-model.fixture.ts';

const giveUp = (error: unknown): never => {
  throw error;
};

describe('event store: comparison with a model', function () {
  it('returns every stream as the model does, with small segments and after any number of restarts', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (walk: readonly Step[]) => {
        const options = { dir: await temporaryFolder('model'), segmentBytes: 6000, fail: giveUp };
        const models = names.map((): Model => ({ ids: [], hiddenBefore: 0, deleted: false }));
        let store = await StreamStore.open(options);
        for (const step of walk) {
          if (step.do === 'reopen') {
            await store.close();
            store = await StreamStore.open(options);
          } else await takeStep(store, models, step);
        }
        for (const [at, name] of names.entries()) {
          const { ids, hiddenBefore, deleted } = models[at]!;
          const visible = deleted ? [] : ids.slice(hiddenBefore);
          const middle = ids.length >> 1;
          expect(await shown(store, name, false, 0)).to.deep.equal(visible);
          expect(await shown(store, name, true, Number.MAX_SAFE_INTEGER)).to.deep.equal(visible.toReversed());
          const fromMiddle = deleted ? [] : ids.slice(Math.max(middle, hiddenBefore));
          expect(await shown(store, name, false, middle)).to.deep.equal(fromMiddle);
        }
        await store.close();
      }),
      { numRuns: 40 },
    );
  });
});
