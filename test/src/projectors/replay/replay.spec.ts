import type { ApiError } from '@popsvc/contracts/errors';
import { currentRows, sql } from '@popsvc/platform/clickhouse';
import { recordDamage, requestReplayCancellation, planReplay, planRollback } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { markRunVerified, rejectUnreadableTables } from '@popsvc/read-models/generations';
import { heartbeats, intervals } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { readTables } from '../rebuild.fixture.ts';
import { dropGenerations, type ReplaySystem, startReplaySystem } from './replay-system.fixture.ts';

describe('a replay', function () {
  let system: ReplaySystem;
  before(async () => {
    system = await startReplaySystem();
    for (let round = 0; round < 3; round += 1) await appendRound();
  });
  after(() => system.close());

  let plays = 0;
  const appendRound = async () => {
    plays += 2;
    await system.appendRound(plays);
  };

  const liveOf = async (name: string) =>
    Number(Object.entries(await system.generations(name)).find(([, state]) => state === 'live')![0]);
  /** Rows that are counted through the view that readers use. */
  const countLiveRows = async (table: string) => {
    const [row] = await system.writer.rows<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${table}_live`);
    return row!.rows;
  };

  for (const { name, tables } of allProjections)
    it(`rebuilds ${name} and switches readers`, async () => {
      const { state, from, to, verified, differences, pausedMs, error } = await system.replay(name, true);
      expect({ state, from, to, verified, differences, error }).to.deep.equal({
        state: 'done',
        from: 1,
        to: 2,
        verified: true,
        differences: [],
        error: null,
      });
      expect(pausedMs).to.be.lessThan(20_000);
      expect(await system.generations(name)).to.deep.equal({ 1: 'kept', 2: 'live' });
      const [before, after] = [await readTables(system, 1, name), await readTables(system, 2, name)];
      for (const { name: table } of tables) {
        expect(after[table], table).to.deep.equal(before[table]);
        expect(await countLiveRows(table), table).to.equal(after[table]!.length);
      }
    });

  it('leaves both generations running and readers on the new one', async () => {
    await appendRound();
    await system.waitUntilCaughtUp('coffee', [1, 2]);
    expect(await countLiveRows('plays')).to.equal(plays);
    expect((await readTables(system, 1))['plays']).to.have.length(plays);
  });

  it('runs one at a time for a projection', async () => {
    const planned = await system.plan('uptime');
    expect(await planReplay(system.postgres, { projection: 'uptime', version: 1, verify: false })).to.equal(undefined);
    expect(await planRollback(system.postgres, 'uptime')).to.equal('busy');
    await requestReplayCancellation(system.postgres, planned.id);
    expect((await system.runReplay(planned)).state).to.equal('cancelled');
    await dropGenerations(system.dependenciesOf('one'));
    expect(await system.listTables('uptime', planned.to)).to.deep.equal([]);
    expect(await system.generations('uptime')).to.deep.equal({ 1: 'kept', 2: 'live' });
  });

  it('is rolled back, and again', async () => {
    const before = await liveOf('coffee');
    const back = await system.runReplay(await system.planRollback('coffee'));
    expect(back).to.include({ state: 'done', kind: 'rollback', from: before, to: 1 });
    expect(await system.generations('coffee')).to.deep.equal({ 1: 'live', 2: 'kept' });
    await appendRound();
    await waitUntil(
      () => countLiveRows('plays'),
      (rows) => rows === plays,
    );
    const again = await system.runReplay(await system.planRollback('coffee'));
    expect(again).to.include({ state: 'done', from: 1, to: before });
    expect(await countLiveRows('plays')).to.equal(plays);
  });

  it('keeps only the previous generation, for the configured time', async () => {
    const { to } = await system.replay('coffee');
    expect(await system.generations('coffee')).to.include({ 1: 'dropping', 2: 'kept', [to]: 'live' });
    const parts = system.dependenciesOf('one');
    await waitUntil(
      async () => {
        await dropGenerations(parts);
        return system.listTables('coffee', 1);
      },
      (tables) => tables.length === 0,
    );
    await system.postgres.query(
      `UPDATE generations SET drop_after = now() WHERE state = 'kept' AND projection = 'coffee'`,
    );
    await waitUntil(
      async () => {
        await dropGenerations(parts);
        return system.generations('coffee');
      },
      (all) => Object.keys(all).length === 1,
    );
    expect(await system.listTables('coffee', 2)).to.deep.equal([]);
    const generationsLeft = await system.writer.rows<{ generation: number }>(
      `SELECT DISTINCT generation FROM progress_coffee_g1`,
    );
    expect(generationsLeft).to.deep.equal([{ generation: to }]);
    expect(await planRollback(system.postgres, 'coffee')).to.equal('none');
    expect(await countLiveRows('plays')).to.equal(plays);
  });

  it('names the differences and leaves readers on the live generation', async () => {
    const from = await liveOf('coffee');
    await waitUntil(
      () => countLiveRows('coffee'),
      (rows) => rows > 0,
    );
    await system.writer.run(
      `INSERT INTO plays_g${from} SELECT * REPLACE ('another' AS content_hash) FROM plays_g${from} LIMIT 1`,
    );
    const { state, error, verified, differences, to } = await system.replay('coffee', true);
    expect({ state, verified }).to.deep.equal({ state: 'failed', verified: false });
    expect(error).to.include('other rows');
    expect(differences).to.deep.equal([
      { table: 'plays', network: 1, day: '2026-08-20', rows_before: plays, rows_after: plays, columns: null },
    ]);
    await dropGenerations(system.dependenciesOf('one'));
    expect(await system.listTables('coffee', to)).to.deep.equal([]);
    expect(await system.generations('coffee')).to.deep.equal({ [from]: 'live' });
  });

  it('fails if tables of the new generation are damaged meanwhile', async () => {
    const planned = await system.plan('uptime');
    const damage = { table: 'heartbeats', part: 'all_1_1_0', problem: 'cut', found_at: new Date().toISOString() };
    await recordDamage(system.postgres, { projection: 'uptime', generation: planned.to }, [damage]);
    expect(await system.runReplay(planned)).to.include({
      state: 'failed',
      error: `Tables of generation ${planned.to} are damaged: heartbeats. Request the replay again.`,
    });
    expect(await liveOf('uptime')).to.equal(planned.from);
  });

  it('of damaged tables makes readers refuse the former ones, also requests that chose them before the switch', async () => {
    const planned = await system.plan('uptime');
    const damage = { table: 'heartbeats', part: null, problem: 'it is gone', found_at: new Date().toISOString() };
    await recordDamage(system.postgres, { projection: 'uptime', generation: planned.from }, [damage]);
    expect(await system.runReplay(planned)).to.include({ state: 'done' });
    await markRunVerified(system.writer);
    const reader = rejectUnreadableTables(system.reader, () => undefined);
    const read = (table: { readonly name: string }, generation: number | undefined) =>
      reader.rows(sql`SELECT 1 FROM ${currentRows(table, generation)} LIMIT 1`).then(
        () => 'read',
        (error: unknown) => (error as ApiError).code,
      );
    expect(await read(heartbeats, planned.from)).to.equal('REBUILDING');
    for (const generation of [planned.to, undefined]) expect(await read(heartbeats, generation)).to.equal('read');
    expect(await read(intervals, planned.from), 'a table that is not damaged').to.equal('read');
  });
});
