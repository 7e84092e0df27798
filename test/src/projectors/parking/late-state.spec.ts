import { sequenceOf } from '@popsvc/contracts/events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { build } from '../replay/building.fixture.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { dynamicSystem, flat } from '../dynamic-events/dynamic.fixture.ts';
import { decide, parkedOf, type Refuses, runTo } from './parked.fixture.ts';
import { readTables } from '../rebuild.fixture.ts';

const projection = 'coffee';
const local = '2026-08-20T14:00:00';
const listing = (...screens: readonly string[]) => ({
  devices: [{ ...smallRegistry.devices[0], screen_ids: ['screen-1', ...screens] }],
});

/** Waiting events are retried at many positions of the log. */
describe('parked registry events and mappings that are applied late', function () {
  const dynamic = dynamicSystem();
  const run = (refuses?: Refuses) =>
    runTo(dynamic.system, projection, {
      limits: { rows: 10_000, bytes: 1e9, ageMs: 30 },
      ...(refuses && { refuses }),
    });
  const retryAll = async () => {
    await decide(dynamic.system, { projection, sequences: undefined });
    await run();
    expect(await parkedOf(dynamic.system, projection)).to.deep.equal([]);
  };
  /** Event id, mapping version and position of the release. */
  const released = async () => {
    const rows = await dynamic.system.writer.rows<Record<string, unknown>>(
      `SELECT event_id, mapping_version, toString(tried_pos) AS at FROM quarantine_live WHERE state = 'released'`,
    );
    return rows.map((row) => Object.values(row));
  };
  const expectAsBuilt = async () => {
    await build(dynamic.system, projection, 2);
    const [live, built] = [await readTables(dynamic.system, 1), await readTables(dynamic.system, 2)];
    for (const [table, rows] of Object.entries(built)) expect(live[table], table).to.deep.equal(rows);
  };

  it('a device releases waiting events at the retry and not before', async () => {
    const { system, events } = dynamic;
    await system.register(listing('new'));
    await events.map();
    await events.send([flat({ screen: 'new', start: local })]);
    await events.tryWaiting();
    await run(({ type }) => type === 'DeviceChanged');
    expect(await released()).to.deep.equal([]);
    const before = await system.store.readHeadPosition();
    await retryAll();
    const [[id, version, at]] = (await released()) as [[string, number, string]];
    expect([id, version]).to.deep.equal(['A', 1]);
    expect(BigInt(at) > before).to.equal(true);
    await expectAsBuilt();
  });

  it('a site does not change what a batch before the retry releases, however long that batch takes', async () => {
    const { system, events } = dynamic;
    // The network of a device is that of its location's last site, which is parked.
    await system.register({ sites: [{ ...smallRegistry.sites[0], id: 20, name: 'Lockgate' }] });
    await system.register({
      locations: [{ ...smallRegistry.locations[0], site: 20, effective_from: '2026-09-01T00:00:00Z' }],
    });
    await system.register({ devices: [{ id: 40, name: 'Exit', location: 3, screen_ids: ['new'] }] });
    await events.send([flat({ screen: 'new', start: local })]);
    const limits = { rows: 10_000, bytes: 1e9, ageMs: 30 };
    await runTo(system, projection, { limits, refuses: ({ data }) => (data as { id?: number }).id === 20 });
    await events.map();
    const before = await system.store.readHeadPosition();
    await decide(system, { projection, sequences: undefined });
    const { writer } = system;
    const slow: typeof writer = {
      ...writer,
      async rows(query, options) {
        if (query.includes('raw, max_age_days')) await sleep(300);
        return writer.rows<never>(query, options);
      },
    };
    await runTo(system, projection, { limits, writer: slow });
    const [[id, version, at]] = (await released()) as [[string, number, string]];
    expect([id, version]).to.deep.equal(['A', 1]);
    expect(BigInt(at) > sequenceOf(before)).to.equal(true);
    await expectAsBuilt();
  });

  it('a mapping releases no event that an older mapping released meanwhile', async () => {
    const { system, events } = dynamic;
    await events.map({ campaignId: { const: 'C-100' } });
    await run();
    const late = await events.map({ campaignId: { const: 'C-200' } });
    await events.send([flat({ screen: 'new', start: local })]);
    await system.register(listing('new'));
    await run(({ sequence }) => sequence === sequenceOf(late));
    const [[id, version]] = (await released()) as [[string, number, string]];
    expect([id, version]).to.deep.equal(['A', 1]);
    await retryAll();
    expect((await released())[0]!.slice(0, 2)).to.deep.equal(['A', 1]);
    await expectAsBuilt();
  });
});
