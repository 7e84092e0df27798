import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from './dynamic.fixture.ts';
import { Crash, crashingStores, crashPoints } from '../runner/crashing-stores.fixture.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';

const isCrash = (error: unknown): boolean => {
  if (error instanceof Crash) return true;
  throw error;
};

describe('the release of quarantined events', () => {
  const dynamic = dynamicSystem();

  /** A released event that precedes the stored play, one of another screen, and some that keep waiting. */
  const story = async () => {
    const { send, map, play } = dynamic.events;
    await send([
      flat(),
      flat({ id: 'B', seconds: 'long' }),
      flat({ id: 'C', screen: 'new', start: '2026-08-20T15:00:20' }),
    ]);
    await play('A', { playedAt: '2026-08-20T14:01:00.000Z' });
    await send([flat()]);
    await map();
    await send([flat({ id: 'D', screen: 'new', start: '2026-08-20T15:00:40' })]);
    await dynamic.system.register({
      devices: [{ ...smallRegistry.devices[0], screen_ids: ['screen-1', 'new'] }],
    });
  };
  const currentPlays = async () => ({
    plays: (await dynamic.events.plays()).map(([id, start]) => [id, String(start).slice(11, 19)]),
    balance: (await dynamic.events.balance()).map((row) => Object.values(row).slice(2)),
  });
  const right = {
    plays: [
      ['A', '15:00:00'],
      ['C', '15:00:20'],
      ['D', '15:00:40'],
    ],
    // received, stored, duplicate, conflict, quarantined, late, clock ahead
    balance: [[6, 3, 1, 1, 1, 0, 0]],
  };

  it('completes after a crash at each statement of the writer', async function () {
    this.timeout(300_000);
    await dynamic.system.projectOne('coffee');
    await story();
    let deaths = 0;
    for (const point of crashPoints()) {
      const stores = crashingStores(dynamic.system, ...point);
      const crashed = await dynamic.system.projectOne('coffee', stores).then(() => false, isCrash);
      if (!crashed) break;
      deaths += 1;
      await dynamic.system.writer.run('OPTIMIZE TABLE quarantine_g1 FINAL');
    }
    expect(deaths).to.be.greaterThan(8);
    expect(await currentPlays()).to.deep.equal(right);
    await rebuildGeneration(dynamic.system, 2, { rows: 10_000, bytes: 1e9, ageMs: 300 });
    expect(await readTables(dynamic.system, 1)).to.deep.equal(await readTables(dynamic.system, 2));
  });

  it('changes nothing when the log is folded again from the start, and restores rows that ClickHouse lost', async () => {
    await story();
    await dynamic.system.projectOne('coffee', { limits: { rows: 2, bytes: 1e9, ageMs: 50 } });
    expect(await currentPlays()).to.deep.equal(right);
    const before = await readTables(dynamic.system, 1);
    await dynamic.system.postgres.query('UPDATE checkpoints SET position = 0');
    await dynamic.system.projectOne('coffee', { limits: { rows: 2, bytes: 1e9, ageMs: 50 } });
    expect(await readTables(dynamic.system, 1)).to.deep.equal(before);

    await dynamic.system.writer.run(
      `ALTER TABLE quarantine_g1 DELETE WHERE state = 'released' SETTINGS mutations_sync = 1`,
    );
    await dynamic.system.writer.run('TRUNCATE TABLE plays_g1');
    await dynamic.system.writer.run(
      `ALTER TABLE receipts_g1 DELETE WHERE outcome != 'quarantined' SETTINGS mutations_sync = 1`,
    );
    await dynamic.system.writer.run('TRUNCATE TABLE coffee_g1');
    await dynamic.system.postgres.query('UPDATE checkpoints SET position = 0');
    // With the lists of parts, the projection would stop because its tables are damaged.
    await dynamic.system.postgres.query('DELETE FROM table_parts');
    await dynamic.system.projectOne('coffee', { limits: { rows: 2, bytes: 1e9, ageMs: 50 } });
    expect(await readTables(dynamic.system, 1)).to.deep.equal(before);
  });
});
