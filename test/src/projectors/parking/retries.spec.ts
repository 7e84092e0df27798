import { sequenceOf } from '@popsvc/contracts/events';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { expect } from 'chai';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { decide, parkedOf, type Refuses, runTo, tablesOf } from './parked.fixture.ts';
import { rebuildGeneration, readTables } from '../rebuild.fixture.ts';

const projection = 'coffee';
const wide = { rows: 10_000, bytes: 1e9, ageMs: 50 };

/** Events that an older release could not read and a newer one can. */
describe('parked events that are retried', function () {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses, more: object = {}) =>
    runTo(dynamic.system, projection, { limits: wide, ...(refuses && { refuses }), ...more });
  const expectRebuiltRows = async () => {
    await rebuildGeneration(dynamic.system, 2, wide);
    const [live, again] = [await readTables(dynamic.system, 1), await readTables(dynamic.system, 2)];
    for (const [table, rows] of Object.entries(again)) expect(live[table], table).to.deep.equal(rows);
  };
  const sites = async () =>
    (await dynamic.system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['SITE_ID'], row['POP_TYPE']]);

  it('count as if they had never been missing: the first play of an id', async () => {
    const { play, balance } = dynamic.events;
    const first = await play('A', { playedAt: '2026-08-20T14:00:00.000Z' });
    await play('A', { playedAt: '2026-08-20T14:05:00.000Z' });
    await dynamic.system.detection({ detectionId: 'p' });
    await run(({ sequence }) => sequence === sequenceOf(first));
    expect(await parkedOf(dynamic.system, projection)).to.deep.equal([[String(sequenceOf(first)), 'parked', 1, null]]);
    expect(await decide(dynamic.system, { projection, sequences: [sequenceOf(first)] })).to.equal(1);
    await run();
    expect(await parkedOf(dynamic.system, projection)).to.deep.equal([]);
    expect((await balance())[0]).to.include({ received: 2, stored: 1, conflict: 1 });
    expect(await sites()).to.deep.equal([['A', 2, 'VIEWER']]);
    await expectRebuiltRows();
  });

  it('park the later events of a state stream behind them, also after a restart, and are applied in order', async () => {
    const { play } = dynamic.events;
    await run();
    const refuses: Refuses = ({ stream, data }) =>
      stream === 'registry-device.4' && JSON.stringify(data).includes('"Moved"');
    const move = (name: string, location: number) =>
      dynamic.system.register({
        sites: [{ id: 20, name: 'Tokyo', network: 1, timezone: 'Asia/Tokyo' }],
        locations: [{ id: 30, name: 'Platform', site: 20 }],
        devices: [{ ...smallRegistry.devices[0], name, location, effective_from: '2026-08-01T00:00:00Z' }],
      });
    await move('Moved', 30);
    await play('A');
    await run(refuses);
    await move('Moved on', 3);
    await move('Moved there', 30);
    await play('B', { playedAt: '2026-08-20T14:10:00.000Z' });
    // This release can read the later events, but must not apply them without the parked one.
    await run();
    expect(await sites()).to.deep.equal([
      ['A', 2, 'UNMEASURED'],
      ['B', 2, 'UNMEASURED'],
    ]);
    const parked = await parkedOf(dynamic.system, projection);
    expect(parked.map(([, ...state]) => state)).to.deep.equal([
      ['parked', 1, null],
      ['parked', 0, parked[0]![0]],
      ['parked', 0, parked[0]![0]],
    ]);
    expect(await decide(dynamic.system, { projection, sequences: [BigInt(parked[1]![0]!)] })).to.equal(3);
    await play('C', { playedAt: '2026-08-20T14:20:00.000Z' });
    await run();
    expect((await sites()).map(([, site]) => site)).to.deep.equal([20, 20, 20]);
    await expectRebuiltRows();
  });

  it('release the events that wait for them', async () => {
    const { send, map, quarantined } = dynamic.events;
    const mapping = await map();
    await send([flat(), flat({ id: 'B', screen: 'new', start: '2026-08-20T14:00:30' })]);
    await dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], screen_ids: ['screen-1', 'new'] }] });
    await run(({ type, sequence }) => sequence === sequenceOf(mapping) || type === 'DeviceChanged');
    expect((await quarantined()).map(([, state]) => state)).to.deep.equal(['waiting', 'waiting']);
    await send([flat({ id: 'C', start: '2026-08-20T14:01:00Z' })]);
    expect(await decide(dynamic.system, { projection, sequences: undefined })).to.equal(2);
    await send([flat({ id: 'D', start: '2026-08-20T14:02:00Z' })]);
    await run();
    expect((await quarantined()).map(([, state]) => state)).to.deep.equal(['released', 'released', 'released']);
    expect(await dynamic.events.plays()).to.have.length(4);
    await expectRebuiltRows();
  });

  it('stay parked when they fail again, with the later events of their stream', async () => {
    await run();
    await dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], name: 'Other' }] });
    await dynamic.system.register({ devices: [{ ...smallRegistry.devices[0], name: 'Another' }] });
    const play = await dynamic.events.play('A');
    const refuses: Refuses = ({ type, sequence, data }) =>
      (type === 'DeviceChanged' && JSON.stringify(data).includes('Other')) || sequence === sequenceOf(play);
    await run(refuses);
    await decide(dynamic.system, { projection, sequences: undefined });
    await run(refuses);
    expect((await parkedOf(dynamic.system, projection)).map(([, ...state]) => state.slice(0, 2))).to.deep.equal([
      ['parked', 2],
      ['parked', 0],
      ['parked', 2],
    ]);
    await decide(dynamic.system, { projection, sequences: undefined });
    await run();
    expect(await parkedOf(dynamic.system, projection)).to.deep.equal([]);
    await expectRebuiltRows();
  });

  it('stop the build of a generation unless they are discarded', async () => {
    const bad = await dynamic.system.append('pop-1.acme.20260820', 'PlaysRecorded', { plays: [{ eventId: 7 }] });
    await dynamic.events.play('A');
    await run();
    const build = () => runTo(dynamic.system, projection, { generation: 3, poisonPolicy: 'stop', limits: wide });
    await tablesOf(dynamic.system, projection, 3);
    const refused = await build().then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(refused).to.include(
      `PlaysRecorded at position ${bad}:0 in pop-1.acme.20260820 cannot be projected into coffee`,
    );
    expect(await decide(dynamic.system, { projection, sequences: [sequenceOf(bad)], reason: 'nonsense' })).to.equal(1);
    await run();
    expect(await parkedOf(dynamic.system, projection)).to.deep.equal([[String(sequenceOf(bad)), 'discarded', 1, null]]);
    await build();
    expect(await readTables(dynamic.system, 3)).to.deep.equal(await readTables(dynamic.system, 1));
  });
});
