import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseError } from '@clickhouse/client';
import { EventStoreUnavailable, type EventStore } from '@popsvc/platform/event-store';
import { holdGeneration, releaseGeneration } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { readTables } from '../rebuild.fixture.ts';
import { build } from './building.fixture.ts';
import { type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const name = 'watcher-summary';
/** Longer than two readings of the generations to run, and a batch. */
const settleMs = 2_500;
const rollbacks = 4;
/** Between two rounds of the traffic. A batch takes longer. */
const pauseMs = 50;

describe('generations', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'watcher-summary', 'uptime', 'status'] });
    await system.appendRound(1);
    await system.waitUntilCaughtUp('uptime', [1]);
  });
  after(() => system.close());

  /** A restored PostgreSQL lacks the generations that were built since its copy; ClickHouse still has their tables. */
  describe('a replay into a generation number that was used before', () => {
    it('starts with empty tables', async () => {
      await system.writer.run('CREATE TABLE heartbeats_g2 AS heartbeats_g1');
      await system.writer.run(
        'INSERT INTO heartbeats_g2 SELECT * REPLACE (77 AS device_id, 77 AS feeder_id) FROM heartbeats_g1',
      );
      expect(await system.replay('uptime', true)).to.include({ state: 'done', to: 2, verified: true, error: null });
      expect(await readTables(system, 2, 'uptime')).to.deep.equal(await readTables(system, 1, 'uptime'));
    });
  });

  describe('a build of a generation', () => {
    before(async () => {
      for (const detectionId of ['a', 'b', 'c', 'd']) await system.detection({ detectionId });
      await system.waitUntilCaughtUp(name, [1]);
    });

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

    it('estimates its number of items from the part that it folds, also after it resumed', async () => {
      await build(system, name, 4);
      for (const detectionId of ['e', 'f']) await system.detection({ detectionId });
      const { events, total } = (await build(system, name, 4)).at(-1)!;
      expect(total).to.be.greaterThan(events);
      await system.waitUntilCaughtUp(name, [1]);
      await expectLiveRows(4);
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

  describe('a kept generation', () => {
    before(() => system.replay('status'));

    const readPosition = async (generation: number) =>
      (await system.parts.checkpoints.read({ projection: 'status', generation })).position;

    it('waits for a stuck live generation and can be rolled back to', async () => {
      const live = { projection: 'status', generation: 2 };
      await system.waitUntilCaughtUp('status', [1, 2]);
      expect(await holdGeneration(system.postgres, live, 20_000)).to.equal(true);
      await system.appendRound(2);
      await system.waitUntilCaughtUp('uptime', [2]);
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
});
