import { EventStoreUnavailable, type EventStore } from '@popsvc/platform/event-store';
import { ClickHouseError } from '@clickhouse/client';
import { expect } from 'chai';
import { readTables } from '../rebuild.fixture.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { build } from './building.fixture.ts';

const name = 'watcher-summary';

describe('a build of a generation', function () {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await system.register(smallRegistry);
    for (const detectionId of ['a', 'b', 'c', 'd']) await system.detection({ detectionId });
    await system.projectOne(name);
  });
  after(() => system.close());

  const expectLiveRows = async (generation: number) =>
    expect(await readTables(system, generation, name)).to.deep.equal(await readTables(system, 1, name));

  it('ends when the log sends nothing in the middle of it, and resumes', async () => {
    const { store } = system;
    let muted = 0;
    const mute: EventStore = {
      ...store,
      async *subscribe(options) {
        let passed = 0;
        for await (const item of store.subscribe(options)) {
          if (muted === 0 && passed === 6) {
            muted += 1;
            await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
          }
          yield item;
          passed += 1;
        }
      },
    };
    const parts = { store: mute, silenceTimeout: { catchUpMs: 300, liveMs: 300 } };
    const error = await build(system, name, 2, parts).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(EventStoreUnavailable);
    await build(system, name, 2, parts);
    expect(muted).to.equal(1);
    await expectLiveRows(2);
  });

  it('computes in slices when a statement exceeds the memory of ClickHouse', async () => {
    const refused: number[] = [];
    const { writer } = system;
    const refusing: typeof writer = {
      ...writer,
      run(query, options = {}) {
        const slices = Number(options.params?.['slices'] ?? 0);
        if (!query.includes('INSERT INTO watcher_summary_') || slices >= 16) return writer.run(query, options);
        refused.push(slices);
        return Promise.reject(new ClickHouseError({ message: 'too much', code: '241', type: 'X' }));
      },
    };
    await build(system, name, 3, { writer: refusing });
    expect(new Set(refused)).to.deep.equal(new Set([1]));
    await expectLiveRows(3);
  });
});
