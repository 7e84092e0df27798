import { requestReplayCancellation, planReplay, planRollback } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { told } from '../projectors/rebuilt.fixture.ts';
import { dropGenerations, type Replaying, replaying } from './replaying.fixture.ts';

describe('a replay', function () {
  this.timeout(60_000);
  let system: Replaying;
  before(async () => {
    system = await replaying();
    await tell();
    await tell();
  });
  after(() => system.close());

  let plays = 0;
  const tell = async () => {
    plays += 2;
    await system.tell(plays);
  };

  const liveOf = async (name: string) =>
    Number(Object.entries(await system.generations(name)).find(([, state]) => state === 'live')![0]);
  /** Rows that are counted through the view that readers use. */
  const seen = async (table: string) => {
    const [row] = await system.writer.rows<{ rows: number }>(`SELECT toUInt32(count()) AS rows FROM ${table}_live`);
    return row!.rows;
  };

  for (const { name, tables } of allProjections)
    it(`rebuilds ${name} and switches readers`, async () => {
      await tell();
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
      const [before, after] = [await told(system, 1, name), await told(system, 2, name)];
      for (const { name: table } of tables) {
        expect(after[table], table).to.deep.equal(before[table]);
        expect(await seen(table), table).to.equal(after[table]!.length);
      }
    });

  it('leaves both generations running and readers on the new one', async () => {
    await tell();
    await waitUntil(
      () => seen('plays'),
      (rows) => rows === plays,
    );
    await waitUntil(
      () => told(system, 1),
      ({ plays: rows }) => rows!.length === plays,
    );
  });

  it('runs one at a time for a projection', async () => {
    const planned = await system.plan('uptime');
    expect(await planReplay(system.postgres, { projection: 'uptime', version: 1, verify: false })).to.equal(undefined);
    expect(await planRollback(system.postgres, 'uptime')).to.equal('busy');
    await requestReplayCancellation(system.postgres, planned.id);
    expect((await system.conduct(planned)).state).to.equal('cancelled');
    await dropGenerations(system.partsOf('one'));
    expect(await system.tablesOf('uptime', planned.to)).to.deep.equal([]);
    expect(await system.generations('uptime')).to.deep.equal({ 1: 'kept', 2: 'live' });
  });

  it('is rolled back, and again', async () => {
    const before = await liveOf('coffee');
    const back = await system.conduct(await system.planRollback('coffee'));
    expect(back).to.include({ state: 'done', kind: 'rollback', from: before, to: 1 });
    expect(await system.generations('coffee')).to.deep.equal({ 1: 'live', 2: 'kept' });
    await tell();
    await waitUntil(
      () => seen('plays'),
      (rows) => rows === plays,
    );
    const again = await system.conduct(await system.planRollback('coffee'));
    expect(again).to.include({ state: 'done', from: 1, to: before });
    expect(await seen('plays')).to.equal(plays);
  });

  it('keeps only the previous generation, for the configured time', async () => {
    const { to } = await system.replay('coffee');
    expect(await system.generations('coffee')).to.include({ 1: 'dropping', 2: 'kept', [to]: 'live' });
    const parts = system.partsOf('one');
    await waitUntil(
      async () => {
        await dropGenerations(parts);
        return system.tablesOf('coffee', 1);
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
    expect(await system.tablesOf('coffee', 2)).to.deep.equal([]);
    const told = await system.writer.rows<{ generation: number }>(
      `SELECT DISTINCT generation FROM progress_g1 WHERE projection = 'coffee'`,
    );
    expect(told).to.deep.equal([{ generation: to }]);
    expect(await planRollback(system.postgres, 'coffee')).to.equal('none');
    expect(await seen('plays')).to.equal(plays);
  });

  it('names the differences and leaves readers on the live generation', async () => {
    const from = await liveOf('coffee');
    await waitUntil(
      () => seen('coffee'),
      (rows) => rows > 0,
    );
    await system.writer.run(
      `INSERT INTO plays_g${from} SELECT * REPLACE ('another' AS content_hash) FROM plays_g${from} LIMIT 1`,
    );
    const { state, error, verified, differences, to } = await system.replay('coffee', true);
    expect({ state, verified }).to.deep.equal({ state: 'failed', verified: false });
    expect(error).to.include('other rows');
    expect(differences).to.deep.equal([
      { table: 'plays', network: 1, day: '2026-08-20', rows_before: plays, rows_after: plays },
    ]);
    await dropGenerations(system.partsOf('one'));
    expect(await system.tablesOf('coffee', to)).to.deep.equal([]);
    expect(await system.generations('coffee')).to.deep.equal({ [from]: 'live' });
  });
});
