import {
  findReplay,
  listParkedEvents,
  planReplay,
  readUnfinishedReplays,
  recordDamage,
  requestReplayCancellation,
} from '@popsvc/platform/postgres';
import type { Projection, RecomputePlan, TemporaryTable } from '@popsvc/projectors/engine';
import { groupFacts, type ReplayDependencies, runReplay } from '@popsvc/projectors/engine/replay';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { listEvent } from '../../support/list-events.ts';
import { readTables } from '../rebuild.fixture.ts';
import { compares, interceptStatements } from './gate.fixture.ts';
import { partsOf, pretendRestart } from './lost-parts.fixture.ts';
import { projectionNamed, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

const rounds = 3;
const otherNetworks = [2, 3, 4, 9];
/** Units with few facts, so that a replay has several of them. */
const limits = { rows: 10, bytes: 1e6, ageMs: 10, maxWindowRows: 5 };

describe('a replay from facts', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem({ of: ['registry', 'coffee', 'watcher-summary'] });
    for (let round = 0; round < rounds; round += 1) await system.appendRound(round);
    for (const network of otherNetworks)
      for (const day of ['03', '18', '19'])
        await system.play({ eventId: `${network}-${day}`, playedAt: `2026-08-${day}T10:00:00.000Z` }, { network });
    await system.play({ eventId: 'in-july', playedAt: '2026-07-31T23:59:59.000Z' });
    await system.append('pop-1-acme-2026-08-20', ...poisonous());
    for (const name of ['coffee', 'watcher-summary']) await system.waitUntilCaughtUp(name, [1]);
  });
  after(() => system.close());

  /** An event that every version of coffee parks. */
  const poisonous = (): [string, object] => {
    const { type, data } = listEvent('PlaysRecorded', { eventId: 7 });
    return [type, data];
  };
  const source = (owner = 'one'): ReplayDependencies => ({ ...system.dependenciesOf(owner), limits });
  const countFacts = async (table: string) => {
    const [row] = await system.writer.rows<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${table} FINAL`);
    return row!.rows;
  };
  const liveOf = async (name: string) =>
    Number(Object.entries(await system.generations(name)).find(([, state]) => state === 'live')![0]);
  /** Runs a replay of a changed coffee. */
  const replayChanged = async (changed: Projection, parts = source()) => {
    const { version } = changed;
    const from = { source: 'facts', reason: 'test' } as const;
    const replay = (await planReplay(system.postgres, { projection: 'coffee', version, verify: true, from }))!;
    await runReplay({ ...parts, projections: [changed] }, replay, changed, new AbortController().signal);
    return (await findReplay(system.postgres, replay.id))!;
  };

  for (const [name, table] of [
    ['coffee', 'plays'],
    ['watcher-summary', 'observations'],
  ] as const)
    it(`derives the rows of ${name} in all tables without the log`, async () => {
      const before = await readTables(system, 1, name);
      const facts = await countFacts(`${table}_g1`);
      const replay = await system.runReplay(await system.plan(name, true, 'facts'), source());
      const { state, verified, differences, error, events, total, accounts } = replay;
      expect({ state, verified, differences, error }).to.deep.equal({
        state: 'done',
        verified: true,
        differences: [],
        error: null,
      });
      // No event was folded.
      expect({ total, accounts }).to.deep.equal({ total: facts, accounts: null });
      // The pauses append probes. No other event was folded.
      expect(events).to.be.within(facts, facts + 2);
      expect(await system.generations(name)).to.deep.equal({ 1: 'kept', 2: 'live' });
      const after = await readTables(system, 2, name);
      const pending = projectionNamed(name).derived!.pending.name;
      for (const each of projectionNamed(name).tables)
        if (each.name !== pending) expect(after[each.name], each.name).to.deep.equal(before[each.name]);
      expect(after[pending]).to.deep.equal([]);
    });

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

  /** Coffee whose derivation was changed: another reason of all plays of network 1. */
  const changed = (): Projection => {
    const coffee = projectionNamed('coffee');
    const plan = coffee.recomputePlan!;
    const change = (statement: string | TemporaryTable) =>
      typeof statement === 'string'
        ? statement.replace('p.play_reason AS', `if(p.network_id = 1, 'other', p.play_reason) AS`)
        : statement;
    const statements: RecomputePlan['statements'] = (...args) => plan.statements(...args).map(change);
    return { ...coffee, version: 2, factsVersion: 1, recomputePlan: { ...plan, statements } };
  };

  it('with a changed derivation lists the changed columns by network and day, and switches', async () => {
    const { state, verified, differences, error, from, to } = await replayChanged(changed());
    expect({ state, verified, error }).to.deep.equal({ state: 'done', verified: false, error: null });
    const plays = rounds + 1;
    expect(differences).to.deep.equal([
      { table: 'coffee', network: 1, day: '2026-07-31', rows_before: 1, rows_after: 1, columns: ['play_reason'] },
      {
        table: 'coffee',
        network: 1,
        day: '2026-08-20',
        rows_before: plays,
        rows_after: plays,
        columns: ['play_reason'],
      },
    ]);
    expect(await system.generations('coffee')).to.include({ [from]: 'kept', [to]: 'live' });
    await system.runReplay(await system.planRollback('coffee'));
  });

  it('ends at once when it is cancelled while it compares columns', async () => {
    /** Runs for a hundred seconds. */
    const slowSql = `SELECT toFloat64(1) AS network, toFloat64(1) AS day, [toString(sum(sleepEachRow(1)))] AS hashes
      FROM numbers(100) SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0`;
    const parts = source();
    const { writer } = parts;
    let cancelledAt = Infinity;
    const rows: typeof writer.rows = async (query, options) => {
      if (!query.includes('AS hashes')) return writer.rows(query, options);
      const [replay] = await readUnfinishedReplays(system.postgres);
      await requestReplayCancellation(system.postgres, replay!.id);
      cancelledAt = performance.now();
      return writer.rows(slowSql, options);
    };
    expect(await replayChanged(changed(), { ...parts, writer: { ...writer, rows } })).to.include({
      state: 'cancelled',
    });
    expect(performance.now() - cancelledAt).to.be.lessThan(50_000);
  });

  it('begins again with empty tables if it was interrupted before all facts were copied', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    let attempts = 0;
    const parts = source();
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
    const kill = new AbortController();
    let units = 0;
    const killing = interceptStatements(
      source('killed'),
      'run',
      (query) => query.includes(`INSERT INTO coffee_g${planned.to} `),
      () => {
        units += 1;
        if (units === 2) kill.abort();
        return Promise.resolve();
      },
    );
    const killed = await system.runReplay(planned, killing, kill.signal);
    expect(killed.state).to.equal('building');
    // Readers see this time if ranges are derived again after the switch.
    const times = await system.writer.rows<{ age: number }>(
      `SELECT DISTINCT toFloat64(dateDiff('second', as_of, now64(3))) AS age FROM coffee_pending_g${planned.to}`,
    );
    expect(times).to.have.length(1);
    expect(times[0]!.age).to.be.within(-1, 600);
    let attached = 0;
    const resumed = interceptStatements(
      source('next'),
      'run',
      (query) => query.includes('ATTACH PARTITION') && !query.includes('_at_'),
      () => {
        attached += 1;
        return Promise.resolve();
      },
    );
    await system.expireLeases();
    const { state, verified } = await system.runReplay(planned, resumed);
    expect({ state, verified }).to.deep.equal({ state: 'done', verified: true });
    expect(attached).to.equal(0);
  });

  it('derives rows again that ClickHouse lost in a power failure', async () => {
    // Only the newest batch is repeated after a restart, so the rows of older facts are lost unless they are derived again.
    const live = await liveOf('coffee');
    await system.writer.run(
      `ALTER TABLE progress_coffee_g1 UPDATE written_at = written_at - INTERVAL 10 MINUTE WHERE generation = ${live}
       AND pos < (SELECT max(pos) FROM progress_coffee_g1 WHERE generation = ${live}) SETTINGS mutations_sync = 1`,
    );
    const planned = await system.plan('coffee', true, 'facts');
    const kill = new AbortController();
    let units = 0;
    const killing = interceptStatements(
      source('killed'),
      'run',
      (query) => query.includes(`INSERT INTO coffee_g${planned.to} `),
      () => {
        units += 1;
        if (units === 4) kill.abort();
        return Promise.resolve();
      },
    );
    await system.runReplay(planned, killing, kill.signal);
    const lost = await partsOf(system, ['coffee'], planned.to);
    expect(lost).not.to.deep.equal([]);
    // The list of parts is stored with a delay. The end of the run stored it at once, which a power failure prevents.
    await system.postgres.query('DELETE FROM table_parts WHERE table_name = $1', [`coffee_g${planned.to}`]);
    const writer = await pretendRestart(system, lost);
    await system.expireLeases();
    const { state, verified, differences } = await system.runReplay(planned, { ...source('next'), writer });
    expect({ state, verified, differences }).to.deep.equal({ state: 'done', verified: true, differences: [] });
  });

  it('copies no facts that the live generation must write again after a restart of ClickHouse', async () => {
    const planned = await system.plan('coffee', true, 'facts');
    const writer = await pretendRestart(system, []);
    let attached = 0;
    const parts = interceptStatements(
      { ...source('waiting'), writer },
      'run',
      (query) => query.includes('ATTACH PARTITION'),
      () => {
        attached += 1;
        return Promise.resolve();
      },
    );
    const kill = new AbortController();
    const running = system.runReplay(planned, parts, kill.signal);
    await waitUntil(
      () => system.findReplay(planned.id),
      ({ error }) => error?.includes('has not repeated its last batches') ?? false,
    );
    kill.abort();
    await running;
    expect(attached).to.equal(0);
    await system.expireLeases();
    expect(await system.runReplay(planned, source('next'))).to.include({ state: 'done', verified: true });
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
    const running = system.runReplay(planned, { ...source(), settleTimeoutMs: 200 });
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
    expect((await system.runReplay(planned, source())).state).to.equal('done');
    expect(await countFacts(`coffee_pending_g${planned.to}`)).to.equal(0);
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
      expect(await system.runReplay(planned, source())).to.include(failed);
      expect((await system.generations('watcher-summary'))[planned.from]).to.equal('live');
    });

    it('fails when an attempt after the copy begins', async () => {
      const planned = await system.plan('watcher-summary', false, 'facts');
      const kill = new AbortController();
      const derives = (query: string) => query.includes(`INSERT INTO watcher_summary_g${planned.to} `);
      const killing = interceptStatements(source('killed'), 'run', derives, () => {
        kill.abort();
        return Promise.resolve();
      });
      expect(await system.runReplay(planned, killing, kill.signal)).to.include({ state: 'building' });
      await damageFacts(planned.from);
      await system.expireLeases();
      let derived = 0;
      const resumed = interceptStatements(source('next'), 'run', derives, () => Promise.resolve((derived += 1)));
      expect(await system.runReplay(planned, resumed)).to.include(failed);
      expect(derived).to.equal(0);
    });

    it('fails before readers switch', async () => {
      const planned = await system.plan('watcher-summary', true, 'facts');
      const parts = interceptStatements(source(), 'rows', compares, () => damageFacts(planned.from));
      expect(await system.runReplay(planned, parts)).to.include({ ...failed, verified: true });
      expect((await system.generations('watcher-summary'))[planned.from]).to.equal('live');
    });
  });
});

describe('the ranges that a replay from facts derives', () => {
  const month = (text: string) => Date.parse(`${text}-01T00:00:00.000Z`);

  it('contain networks of one month with at most the limit of facts, or one network', () => {
    const counted = [
      { month: 202512, network: 1, facts: 4 },
      { month: 202512, network: 2, facts: 6 },
      { month: 202512, network: 5, facts: 1 },
      { month: 202601, network: 1, facts: 30 },
      { month: 202601, network: 2, facts: 2 },
      { month: 202601, network: 3, facts: 8 },
    ];
    const december = { month: 202512, fromMs: month('2025-12'), toMs: month('2026-01') };
    const january = { month: 202601, fromMs: month('2026-01'), toMs: month('2026-02') };
    expect(groupFacts(counted, 10)).to.deep.equal([
      { network: 1, lastNetwork: 2, facts: 10, ...december },
      { network: 5, lastNetwork: 5, facts: 1, ...december },
      { network: 1, lastNetwork: 1, facts: 30, ...january },
      { network: 2, lastNetwork: 3, facts: 10, ...january },
    ]);
    expect(groupFacts([], 10)).to.deep.equal([]);
  });
});
