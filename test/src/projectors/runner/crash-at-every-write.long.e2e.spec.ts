import { sequenceOf } from '@popsvc/contracts/events';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { decide, type Refuses, runTo } from '../parking/parked.fixture.ts';
import { expectSameTables, readTables, rebuildGeneration } from '../rebuild.fixture.ts';
import { crashUntilDone } from './crashing-stores.fixture.ts';
import { appendTraffic, readPresence, rightPresence } from './traffic.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const limits = { rows: 10_000, bytes: 1e9, ageMs: 50 };

describe('projectors that crash at every write', function () {
  this.timeout(600_000);
  const dynamic = dynamicSystem();

  const register = (more: object) => dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], ...more }] });
  const foldAgain = () => dynamic.system.postgres.query('UPDATE checkpoints SET position = 0 WHERE generation = 1');
  const expectAsRebuilt = async () => {
    await rebuildGeneration(dynamic.system, 2, limits);
    await expectSameTables(dynamic.system, [2, 1]);
  };

  it('write the right rows', async () => {
    await appendTraffic(dynamic.system);
    expect(await crashUntilDone(dynamic.system, 1)).to.be.greaterThan(15);
    expect(await readPresence(dynamic.system)).to.deep.equal(rightPresence);
  });

  it('apply parked events that are retried once, also when the log is folded again', async () => {
    const run = (more: Parameters<typeof runTo>[2] = {}) => runTo(dynamic.system, 'coffee', { limits, ...more });
    const first = await dynamic.events.play('A');
    await dynamic.events.play('A', { playedAt: '2026-08-20T14:05:00.000Z' });
    await register({ name: 'Other', location: 3 });
    const refuses: Refuses = ({ sequence }) => sequence === sequenceOf(first);
    await run({ refuses });
    await decide(dynamic.system, { projection: 'coffee', sequences: undefined });
    expect(await crashUntilDone(dynamic.system, isLong ? 1 : 7, run)).to.be.greaterThan(2);
    await expectAsRebuilt();
    await foldAgain();
    await run();
    await expectSameTables(dynamic.system, [2, 1]);
  });

  describe('while they release quarantined events', () => {
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
      await register({ screen_ids: ['screen-1', 'new'] });
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

    it('complete the release', async () => {
      await dynamic.system.projectOne('coffee');
      await story();
      expect(await crashUntilDone(dynamic.system)).to.be.greaterThan(8);
      expect(await currentPlays()).to.deep.equal(right);
      await expectAsRebuilt();
    });

    it('change nothing when the log is folded again from the start, and restore rows that ClickHouse lost', async () => {
      const { writer, postgres } = dynamic.system;
      const project = () => dynamic.system.projectOne('coffee', { limits: { ...limits, rows: 2 } });
      await story();
      await project();
      expect(await currentPlays()).to.deep.equal(right);
      const before = await readTables(dynamic.system, 1);
      await foldAgain();
      await project();
      expect(await readTables(dynamic.system, 1)).to.deep.equal(before);

      const drop = (table: string, where: string) =>
        writer.run(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS mutations_sync = 1`);
      await drop('quarantine_g1', `state = 'released'`);
      await drop('receipts_g1', `outcome != 'quarantined'`);
      for (const table of ['plays_g1', 'coffee_g1']) await writer.run(`TRUNCATE TABLE ${table}`);
      await foldAgain();
      // With the lists of parts, the projection would stop because its tables are damaged.
      await postgres.query('DELETE FROM table_parts');
      await project();
      expect(await readTables(dynamic.system, 1)).to.deep.equal(before);
    });
  });
});
