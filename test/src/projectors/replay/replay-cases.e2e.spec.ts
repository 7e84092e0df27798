import type { ApiError } from '@popsvc/contracts/errors';
import { currentRows, sql } from '@popsvc/platform/clickhouse';
import { recordDamage, requestReplayCancellation, planReplay, planRollback } from '@popsvc/platform/postgres';
import { allProjections } from '@popsvc/projectors/projections';
import { markRunVerified, rejectUnreadableTables } from '@popsvc/read-models/generations';
import { heartbeats, intervals } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { waitUntil } from '@popsvc/tools/rig';
import { dropGenerations, type ReplaySystem } from './replay-system.fixture.ts';
import { type ReplayedSystem, startReplayed } from './replayed.fixture.ts';

/** What the feature does is in replay.spec.ts. */
describe('a replay, in further cases', () => {
  let replayed: ReplayedSystem;
  let system: ReplaySystem;
  before(async () => {
    replayed = await startReplayed();
    ({ system } = replayed);
  });
  after(() => system.close());

  for (const { name } of allProjections)
    it(`rebuilds ${name} and switches readers`, () => replayed.expectRebuilt(name));

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
    expect(await replayed.countLiveRows('plays')).to.equal(replayed.plays());
  });

  it('fails if tables of the new generation are damaged meanwhile', async () => {
    const planned = await system.plan('uptime');
    const damage = { table: 'heartbeats', part: 'all_1_1_0', problem: 'cut', found_at: new Date().toISOString() };
    await recordDamage(system.postgres, { projection: 'uptime', generation: planned.to }, [damage]);
    expect(await system.runReplay(planned)).to.include({
      state: 'failed',
      error: `Tables of generation ${planned.to} are damaged: heartbeats. Request the replay again.`,
    });
    expect(await replayed.liveOf('uptime')).to.equal(planned.from);
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
