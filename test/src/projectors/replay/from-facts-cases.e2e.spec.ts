import {
  listParkedEvents,
  readUnfinishedReplays,
  recordDamage,
  type ReplayRecord,
  requestReplayCancellation,
} from '@popsvc/platform/postgres';
import type { ReplayDependencies } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { readTables } from '../rebuild.fixture.ts';
import {
  changedCoffee,
  countFacts,
  countProbesAfter,
  expectSameRows,
  replayChanged,
  rounds,
  sourceOf,
  startWithFacts,
} from './from-facts.fixture.ts';
import { compares, interceptStatements } from './gate.fixture.ts';
import { partsOf, pretendRestart } from './lost-parts.fixture.ts';
import type { ReplaySystem } from './replay-system.fixture.ts';

/** What the feature does is in from-facts.spec.ts. */
describe('a replay from facts, in further cases', () => {
  let system: ReplaySystem;
  before(async () => (system = await startWithFacts(['registry', 'coffee', 'watcher-summary'])));
  after(() => system.close());

  const liveOf = async (name: string) =>
    Number(Object.entries(await system.generations(name)).find(([, state]) => state === 'live')![0]);

  const countStatements = (source: ReplayDependencies, matches: (query: string) => boolean) => {
    let count = 0;
    const parts = interceptStatements(source, 'run', matches, () => Promise.resolve((count += 1)));
    return { parts, count: () => count };
  };
  const derivesInto =
    ({ projection, to }: ReplayRecord) =>
    (query: string) =>
      query.includes(`INSERT INTO ${projection.replace('-', '_')}_g${to} `);
  /** Runs a replay that is killed when it derives its n-th unit. */
  const runUntilKilled = (planned: ReplayRecord, unit: number) => {
    const kill = new AbortController();
    let units = 0;
    const parts = interceptStatements(sourceOf(system, 'killed'), 'run', derivesInto(planned), () => {
      units += 1;
      if (units === unit) kill.abort();
      return Promise.resolve();
    });
    return system.runReplay(planned, parts, kill.signal);
  };

  for (const [name, table] of [
    ['coffee', 'plays'],
    ['watcher-summary', 'observations'],
  ] as const)
    it(`derives the rows of ${name} in all tables without the log`, () => expectSameRows(system, name, table));

  it('keeps parked events parked', async () => {
    const parked = await listParkedEvents(system.postgres, { projection: 'coffee', limit: 100 });
    expect(parked.map(({ generation, state, stream }) => [generation, state, stream])).to.deep.equal(
      [1, 2].map((generation) => [generation, 'parked', 'pop-1-acme-2026-08-20']),
    );
  });

  it('is followed by newer events in both generations', async () => {
    await system.appendRound(rounds);
    await system.waitUntilCaughtUp('coffee', [1, 2]);
    expect((await readTables(system, 2))['coffee']).to.deep.equal((await readTables(system, 1))['coffee']);
  });

  it('ends at once when it is cancelled while it compares columns', async () => {
    /** Runs for a hundred seconds. */
    const slowSql = `SELECT toFloat64(1) AS network, toFloat64(1) AS day, [toString(sum(sleepEachRow(1)))] AS hashes
      FROM numbers(100) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
    const parts = sourceOf(system);
    const { writer } = parts;
    let cancelledAt = Infinity;
    const rows: typeof writer.rows = async (query, options) => {
      if (!query.includes('AS hashes')) return writer.rows(query, options);
      const [replay] = await readUnfinishedReplays(system.postgres);
      await requestReplayCancellation(system.postgres, replay!.id);
      cancelledAt = performance.now();
      return writer.rows(slowSql, options);
    };
    expect(await replayChanged(system, changedCoffee(), { ...parts, writer: { ...writer, rows } })).to.include({
      state: 'cancelled',
    });
    expect(performance.now() - cancelledAt).to.be.lessThan(50_000);
  });

  it('begins again with empty tables if it was interrupted before all facts were copied', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    let attempts = 0;
    const parts = sourceOf(system);
    const checkpoints: ReplayDependencies['checkpoints'] = {
      ...parts.checkpoints,
      advance: (move) => {
        attempts += 1;
        return attempts === 1 ? Promise.reject(new Error('PostgreSQL is away')) : parts.checkpoints.advance(move);
      },
    };
    const { state, verified, differences } = await system.runReplay(planned, { ...parts, checkpoints });
    expect({ state, verified, differences }).to.deep.equal({ state: 'done', verified: true, differences: [] });
    expect(attempts).to.be.greaterThan(1);
  });

  it('continues with the facts that were copied before an interruption', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    expect(await runUntilKilled(planned, 2)).to.include({ state: 'building' });
    // Readers see this time if ranges are derived again after the switch.
    const times = await system.writer.rows<{ age: number }>(
      `SELECT DISTINCT toFloat64(dateDiff('second', as_of, now64(3))) AS age FROM coffee_pending_g${planned.to}`,
    );
    expect(times).to.have.length(1);
    expect(times[0]!.age).to.be.within(-1, 600);
    const resumed = countStatements(
      sourceOf(system, 'next'),
      (query) => query.includes('ATTACH PARTITION') && !query.includes('_at_'),
    );
    await system.expireLeases();
    const { state, verified } = await system.runReplay(planned, resumed.parts);
    expect({ state, verified }).to.deep.equal({ state: 'done', verified: true });
    expect(resumed.count()).to.equal(0);
  });

  it('begins where the facts were copied, although the live generation has continued meanwhile', async () => {
    const live = await liveOf('coffee');
    const facts = await countFacts(system, `plays_g${live}`);
    const head = await system.store.readHeadPosition();
    const parts = sourceOf(system);
    let hasContinued = false;
    const writer: ReplayDependencies['writer'] = {
      ...parts.writer,
      async insert(insert) {
        if (!hasContinued && insert.table.startsWith('coffee_pending_g')) {
          hasContinued = true;
          await system.play({ eventId: 'meanwhile' });
          await system.waitUntilCaughtUp('coffee', [live]);
          await system.writer.run('OPTIMIZE TABLE progress_coffee_g1 FINAL');
        }
        return parts.writer.insert(insert);
      },
    };
    const planned = await system.plan('coffee', true, 'facts');
    const { state, verified, events } = await system.runReplay(planned, { ...parts, writer });
    expect({ state, verified, hasContinued }).to.deep.equal({ state: 'done', verified: true, hasContinued: true });
    // The play, and the one that the live generation folded last, are folded at most. The whole log has far more events.
    expect(events).to.be.within(facts, facts + 2 + (await countProbesAfter(system, head)));
  });

  it('derives rows again that ClickHouse lost in a power failure', async () => {
    // Only the newest batch is repeated after a restart, so the rows of older facts are lost unless they are derived again.
    const live = await liveOf('coffee');
    await system.writer.run(
      `ALTER TABLE progress_coffee_g1 UPDATE written_at = written_at - INTERVAL 10 MINUTE WHERE generation = ${live}
       AND pos < (SELECT max(pos) FROM progress_coffee_g1 WHERE generation = ${live}) SETTINGS mutations_sync = 1`,
    );
    const planned = await system.plan('coffee', true, 'facts');
    await runUntilKilled(planned, 4);
    const lost = await partsOf(system, ['coffee'], planned.to);
    expect(lost).not.to.deep.equal([]);
    // The list of parts is stored with a delay. The end of the run stored it at once, which a power failure prevents.
    await system.postgres.query('DELETE FROM table_parts WHERE table_name = $1', [`coffee_g${planned.to}`]);
    const writer = await pretendRestart(system, lost);
    await system.expireLeases();
    const { state, verified, differences } = await system.runReplay(planned, { ...sourceOf(system, 'next'), writer });
    expect({ state, verified, differences }).to.deep.equal({ state: 'done', verified: true, differences: [] });
  });

  it('copies no facts that the live generation must write again after a restart of ClickHouse', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    const writer = await pretendRestart(system, []);
    const waiting = countStatements({ ...sourceOf(system, 'waiting'), writer }, (query) =>
      query.includes('ATTACH PARTITION'),
    );
    const kill = new AbortController();
    const running = system.runReplay(planned, waiting.parts, kill.signal);
    await waitUntil(
      () => system.findReplay(planned.id),
      ({ error }) => error?.includes('has not repeated its last batches') ?? false,
    );
    kill.abort();
    await running;
    expect(waiting.count()).to.equal(0);
    await system.expireLeases();
    expect(await system.runReplay(planned, sourceOf(system, 'next'))).to.include({ state: 'done', verified: true });
  });

  it('waits while the last batch of the live generation is incomplete, says so, and can be cancelled', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    const live = { projection: 'coffee', generation: planned.from };
    const head = await system.append('other-stream', 'Other', {});
    const begin = (begun: bigint) =>
      system.postgres.query('UPDATE checkpoints SET begun = $3 WHERE projection = $1 AND generation = $2', [
        live.projection,
        live.generation,
        begun.toString(),
      ]);
    await begin(head);
    const running = system.runReplay(planned, { ...sourceOf(system), settleTimeoutMs: 200 });
    await waitUntil(
      () => system.findReplay(planned.id),
      ({ error, endedAt }) => endedAt !== null || (error?.includes('its last batch is incomplete') ?? false),
    );
    await requestReplayCancellation(system.postgres, planned.id);
    expect(await running).to.include({ state: 'cancelled' });
    await begin((await system.parts.checkpoints.read(live)).position);
  });

  it('derives plays whose derivation batches had put off', async () => {
    const live = await liveOf('coffee');
    await system.writer.run(
      `INSERT INTO coffee_pending_g${live} (network_id, last_network, screen_id, from_at, to_at, cause, as_of, version)
       SELECT 2, 2, 'screen-1', toDateTime64('2026-08-18 10:00:00', 3), toDateTime64('2026-08-18 10:05:00', 3), 'facts', now64(3), 1`,
    );
    const planned = await system.plan('coffee', false, 'facts');
    expect((await system.runReplay(planned, sourceOf(system))).state).to.equal('done');
    expect(await countFacts(system, `coffee_pending_g${planned.to}`)).to.equal(0);
    expect((await readTables(system, planned.to))['coffee']).to.have.length(
      (await readTables(system, live))['coffee']!.length,
    );
  });

  describe('whose facts are damaged', () => {
    const failed = {
      state: 'failed',
      error: 'The facts cannot be used: live tables are damaged: observations. Request the replay from the log.',
    };
    const damageFacts = async (generation: number) => {
      const damage = {
        table: 'observations',
        part: '202608_1_1_0',
        problem: 'cut',
        found_at: new Date().toISOString(),
      };
      await recordDamage(system.postgres, { projection: 'watcher-summary', generation }, [damage]);
    };
    afterEach(() => system.postgres.query("UPDATE generations SET damage = '[]'"));

    it('fails before it copies them', async () => {
      const planned = await system.plan('watcher-summary', true, 'facts');
      await damageFacts(planned.from);
      expect(await system.runReplay(planned, sourceOf(system))).to.include(failed);
      expect((await system.generations('watcher-summary'))[planned.from]).to.equal('live');
    });

    it('fails when an attempt after the copy begins', async () => {
      const planned = await system.plan('watcher-summary', false, 'facts');
      expect(await runUntilKilled(planned, 1)).to.include({ state: 'building' });
      await damageFacts(planned.from);
      await system.expireLeases();
      const resumed = countStatements(sourceOf(system, 'next'), derivesInto(planned));
      expect(await system.runReplay(planned, resumed.parts)).to.include(failed);
      expect(resumed.count()).to.equal(0);
    });

    it('fails before readers switch', async () => {
      const planned = await system.plan('watcher-summary', true, 'facts');
      const parts = interceptStatements(sourceOf(system), 'rows', compares, () => damageFacts(planned.from));
      expect(await system.runReplay(planned, parts)).to.include({ ...failed, verified: true });
      expect((await system.generations('watcher-summary'))[planned.from]).to.equal('live');
    });
  });
});
