import type { EventStore } from '@popsvc/platform/event-store';
import { ClickHouseError } from '@clickhouse/client';
import { expect } from 'chai';
import { told } from '../projectors/rebuilt.fixture.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { build } from './building.fixture.ts';

const name = 'watcher-summary';

describe('a parallel build of a generation', function () {
  this.timeout(60_000);
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
    await system.register(smallRegistry);
    for (const detectionId of ['a', 'b', 'c', 'd']) await system.detection({ detectionId });
    await system.projectOne(name);
  });
  after(() => system.close());

  const isAsLive = async (generation: number) =>
    expect(await told(system, generation, name)).to.deep.equal(await told(system, 1, name));

  it('repeats a part when the log sends nothing in the middle of it', async () => {
    const { store } = system;
    let muted = 0;
    const mute: EventStore = {
      ...store,
      async *subscribe(options) {
        if (options.upTo === undefined || muted > 0) yield* store.subscribe(options);
        else {
          muted += 1;
          await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
        }
      },
    };
    await build(system, name, 2, { store: mute, silenceTimeout: { catchUpMs: 300, liveMs: 300 } });
    expect(muted).to.equal(1);
    await isAsLive(2);
  });

  it('computes in slices what exceeds the memory of ClickHouse', async () => {
    const refused: number[] = [];
    const { writer } = system;
    const weak: typeof writer = {
      ...writer,
      run(query, options = {}) {
        const slices = Number(options.params?.['slices'] ?? 0);
        if (!query.includes('INSERT INTO watcher_summary_') || slices >= 16) return writer.run(query, options);
        refused.push(slices);
        return Promise.reject(new ClickHouseError({ message: 'too much', code: '241', type: 'X' }));
      },
    };
    await build(system, name, 3, { writer: weak });
    expect(new Set(refused)).to.deep.equal(new Set([1]));
    await isAsLive(3);
  });
});
