import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { EventStore } from '@popsvc/platform/event-store';
import {
  holdGeneration,
  pauseProjection,
  readHeldPositions,
  releaseGeneration,
  requestReplayCancellation,
  type ReplayRecord,
} from '@popsvc/platform/postgres';
import { type ReplayDependencies, withPausedGeneration } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { compares, createGate, interceptStatements, readLeftovers } from './gate.fixture.ts';
import { projectionNamed, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const isCopied = (query: string) => query.startsWith('DROP TABLE') && query.includes('_at_');

/** How long the comparison takes. It sends nothing meanwhile. */
const slowMs = 100_000;
const slowSql = `SELECT toFloat64(1) AS network, NULL AS day, toFloat64(sum(sleepEachRow(1))) AS rows, '0' AS hash
  FROM numbers(100) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
const runningSql = `SELECT toFloat64(count()) AS running FROM system.processes
  WHERE current_database = currentDatabase() AND query LIKE '%sleepEachRow%' AND query NOT LIKE '%system.processes%'`;

describe('replays that are interrupted', function () {
  let system: ReplaySystem;
  let round = 0;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee', 'watcher-summary', 'uptime', 'status'] });
  });
  after(() => system.close());

  const readPosition = async (projection: string, generation: number) =>
    (await system.parts.checkpoints.read({ projection, generation })).position;
  const appendAndProject = async (name: string, generation: number): Promise<bigint> => {
    await system.appendRound((round += 1));
    await system.waitUntilCaughtUp(name, [generation]);
    return readPosition(name, generation);
  };

  /** After a restart of ClickHouse the live generation folds the last minute of the log again, which its tables may contain already. */
  describe('a replay of a live generation that folds events again', () => {
    const isLeaseFree = async (name: string) => {
      const { rows } = await system.postgres.query<{ free: boolean }>(
        `SELECT expires_at <= now() AS free FROM leases WHERE projection = $1 AND generation = 1`,
        [name],
      );
      return rows[0]!.free;
    };
    /** Moves the checkpoint back by one round and pauses the projection. Returns the position before. */
    const moveBack = async (name: string): Promise<bigint> => {
      const before = await appendAndProject(name, 1);
      const was = await appendAndProject(name, 1);
      await pauseProjection(system.postgres, name, true);
      await waitUntil(
        () => isLeaseFree(name),
        (is) => is,
      );
      await system.postgres.query('UPDATE checkpoints SET position = $2 WHERE projection = $1', [
        name,
        before.toString(),
      ]);
      return was;
    };

    for (const [name, verify] of [
      ['uptime', true],
      ['status', false],
    ] as const)
      it(`${verify ? 'compares both' : 'switches readers'} once the live generation has caught up with its tables`, async () => {
        const was = await moveBack(name);
        const { id } = await system.plan(name, verify);
        const running = system.runReplay(await system.findReplay(id));
        await waitUntil(
          () => system.findReplay(id),
          ({ state }) => state === 'catching_up',
        );
        await sleep(500);
        expect(await system.findReplay(id)).to.include({ state: 'catching_up', error: null });
        await pauseProjection(system.postgres, name, false);
        expect(await running).to.deep.include({ state: 'done', verified: verify, error: null, differences: [] });
        expect((await readPosition(name, 2)) >= was).to.equal(true);
      });

    it('accepts the live generation as it is when it does not move', async () => {
      await moveBack('watcher-summary');
      const parts = { ...system.dependenciesOf('one'), settleTimeoutMs: 300 };
      const { state, error } = await system.runReplay(await system.plan('watcher-summary', true), parts);
      expect(state).to.equal('failed');
      expect(error).to.include('other rows than the live one');
      const replay = await system.plan('watcher-summary');
      expect(await system.runReplay(replay, parts)).to.include({ state: 'done', error: null });
    });
  });

  /** A process that was stopped for a while continues without noticing that another process took its place. */
  describe('a replay process that lost its lease and resumes', () => {
    it('does not disturb the comparison of the new process', async () => {
      await appendAndProject('uptime', 2);
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
      await appendAndProject('uptime', 2);
      asleep.open();
      await zombie;
      comparing.open();
      expect(await next).to.include({ state: 'done', verified: true, error: null });
      expect((await readLeftovers(system)).copies).to.deep.equal([]);
    });

    it('neither prolongs nor ends the pause of the new process', async () => {
      const key = { projection: 'status', generation: 2 };
      expect(await holdGeneration(system.postgres, key, 10_000, 1n)).to.equal(true);
      expect(await holdGeneration(system.postgres, key, 10_000, 2n)).to.equal(true);
      await system.appendRound((round += 1));
      expect(await holdGeneration(system.postgres, key, 60_000, 1n)).to.equal(false);
      await releaseGeneration(system.postgres, key, 1n);
      const { rows } = await system.postgres.query<{ held: boolean }>(
        `SELECT held_until BETWEEN now() AND now() + interval '10 seconds' AS held FROM generations WHERE projection = 'status' AND generation = 2`,
      );
      expect(rows).to.deep.equal([{ held: true }]);
      await releaseGeneration(system.postgres, key, 2n);
      expect(await readHeldPositions(system.postgres, key)).to.deep.equal(new Map());
    });
  });

  describe('a long comparison of generations', () => {
    const withSlowComparison = (parts: ReplayDependencies): ReplayDependencies => {
      const { writer } = parts;
      const rows: ClickHouseWriter['rows'] = (query, options) =>
        writer.rows(compares(query) ? slowSql : query, options);
      return { ...parts, writer: { ...writer, rows } };
    };
    const running = async () => (await system.writer.rows<{ running: number }>(runningSql))[0]!.running;
    /** Runs a replay until it compares. */
    const startComparison = async (
      signal?: AbortSignal,
    ): Promise<{ replay: ReplayRecord; ended: Promise<ReplayRecord> }> => {
      const replay = await system.plan('uptime', true);
      const ended = system.runReplay(replay, withSlowComparison(system.dependenciesOf('slow')), signal);
      await waitUntil(running, (count) => count > 0);
      return { replay, ended };
    };
    /** Waits for the end, and checks that nothing is left. Returns how long that took, in ms. */
    const measureEnd = async (ended: Promise<unknown>) => {
      const began = performance.now();
      await ended;
      const ms = performance.now() - began;
      await waitUntil(running, (count) => count === 0);
      expect(await readLeftovers(system)).to.deep.equal({ copies: [], held: [] });
      return ms;
    };

    it('ends early when the replay is cancelled', async () => {
      const { replay, ended } = await startComparison();
      await requestReplayCancellation(system.postgres, replay.id);
      expect(await measureEnd(ended)).to.be.lessThan(slowMs / 3);
      expect(await ended).to.include({ state: 'cancelled' });
    });

    it('ends early when the service stops, and another process resumes the replay', async () => {
      const stop = new AbortController();
      const { replay, ended } = await startComparison(stop.signal);
      stop.abort();
      expect(await measureEnd(ended)).to.be.lessThan(slowMs / 3);
      expect(await ended).to.include({ state: 'verifying', endedAt: null });
      expect(await system.runReplay(replay)).to.include({ state: 'done', verified: true });
    });
  });

  describe('while the live generation is paused', () => {
    it('the pause is over when its work is done, even if a statement that prolongs it is late', async () => {
      /** The second statement that pauses a generation prolongs the pause. */
      const prolonging = 2;
      const parts = system.dependenciesOf('one');
      const { postgres } = system;
      const gate = createGate();
      let pauses = 0;
      let isLate = false;
      const connect = async () => {
        const client = await postgres.connect();
        const delayedQuery = async (text: string, values: unknown[]) => {
          if (text.includes('SET held_until = now() +')) {
            pauses += 1;
            if (pauses === prolonging) {
              await gate.pass();
              await sleep(500);
              isLate = true;
            }
          }
          return client.query(text, values);
        };
        return new Proxy(client, {
          get: (target, name) => (name === 'query' ? delayedQuery : Reflect.get(target, name, target)) as unknown,
        });
      };
      const query = postgres.query.bind(postgres);
      const delayed = new Proxy(postgres, {
        get: (pool, name) => ({ connect, query })[String(name)] ?? (Reflect.get(pool, name, pool) as unknown),
      });
      await withPausedGeneration(
        { ...parts, postgres: delayed },
        { projection: projectionNamed('registry'), generation: 1, epoch: 1n },
        async () => {
          await gate.reached();
          gate.open();
        },
        new AbortController().signal,
      );
      await waitUntil(
        () => Promise.resolve(isLate),
        (isOver) => isOver,
      );
      await sleep(100);
      expect((await readLeftovers(system)).held).to.deep.equal([]);
    });

    it('a replay starts no step whose duration depends on the length of the log', async () => {
      await system.waitUntilCaughtUp('coffee', [1]);
      const parts = system.dependenciesOf('one');
      let isPaused = false;
      const subscriptions: string[] = [];
      const store: EventStore = {
        ...parts.store,
        async append(stream, events, options) {
          // The process that requests the pause appends a probe, so that the writer announces a batch.
          isPaused ||= stream.startsWith('probe-');
          return parts.store.append(stream, events, options);
        },
        subscribe(options) {
          if (isPaused) subscriptions.push(options.prefixes.join());
          return parts.store.subscribe(options);
        },
      };
      const pointing = interceptStatements(
        { ...parts, store },
        'run',
        (query) => query.includes('VIEW progress_live'),
        () => {
          isPaused = false;
          return Promise.resolve();
        },
      );
      const replay = await system.plan('coffee');
      await system.appendRound((round += 1));
      const { state, pausedMs } = await system.runReplay(replay, pointing);
      expect(state).to.equal('done');
      expect(pausedMs).to.be.greaterThan(0);
      expect(subscriptions).to.deep.equal([]);
    });
  });
});
