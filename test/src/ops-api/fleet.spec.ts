import { instantMs } from '@popsvc/contracts/time';
import { onlyShard } from '@popsvc/domain/partitioning';
import { createLog, createMetrics } from '@popsvc/platform/telemetry';
import type { ShardReader, Sql } from '@popsvc/platform/clickhouse';
import {
  createFleetReading,
  createFleetWatch,
  createRegistryLog,
  findFleetProblems,
  type FleetState,
  type FleetWatch,
  reportFleet,
} from '@popsvc/ops-api/server';
import { expect } from 'chai';
import sinon from 'sinon';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { registryOf } from './completeness.fixture.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** A Thursday. The sites are open from 08:00 to 20:00 UTC. */
const at = (time: string) => instantMs(`2026-09-17T${time}:00Z`)!;
const registeredMs = at('00:00') - 30 * 24 * hourMs;
const openAllDay = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, ['08:00-20:00']]),
);
const thresholds = { darkDevicesPercent: 20, vendorSilentMinutes: 120 };

/** Network 1 has the sites 10 and 11 with ten devices each; network 2 the site 20 with one. */
const file = {
  networks: [
    { id: 1, name: 'One', timezone: 'UTC' },
    { id: 2, name: 'Two', timezone: 'UTC' },
  ],
  vendors: [
    { code: 'acme', name: 'Acme', network: 1 },
    { code: 'other', name: 'Other', network: 1 },
    { code: 'second', name: 'Second', network: 2 },
  ],
  sites: [10, 11, 20].map((id) => ({
    id,
    name: `Site ${id}`,
    network: id < 20 ? 1 : 2,
    timezone: 'UTC',
    business_hours: openAllDay,
  })),
  locations: [10, 11, 20].map((site) => ({ id: site * 10, name: `Location ${site}`, site })),
  devices: [
    ...Array.from({ length: 20 }, (_, index) => ({
      id: 100 + index,
      name: `Device ${index}`,
      location: index < 10 ? 100 : 110,
      screen_ids: [`screen-${index}`],
    })),
    { id: 200, name: 'Alone', location: 200, screen_ids: ['alone'] },
  ],
};

const stateAt = (nowMs: number, offline: readonly number[], changes: Partial<FleetState> = {}): FleetState => ({
  registry: registryOf([[registeredMs, file]]),
  isRead: () => true,
  asOfMs: nowMs,
  devices: [...file.devices].map(({ id }) => ({
    id,
    network_id: id < 200 ? 1 : 2,
    online: offline.includes(id) ? 0 : 1,
    received_ms: offline.includes(id) ? nowMs - 40 * minuteMs : nowMs,
  })),
  vendors: ['acme', 'other'].map((vendor) => ({ network_id: 1, vendor, hour_ms: nowMs - (nowMs % hourMs) })),
  ...changes,
});
const ids = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

describe('problems of the fleet', () => {
  const noon = at('12:00');
  const darkAt = (nowMs: number, offline: readonly number[], changes?: Partial<FleetState>) =>
    findFleetProblems(stateAt(nowMs, offline, changes), thresholds, nowMs).dark;
  const silentAt = (nowMs: number, changes: Partial<FleetState>) =>
    findFleetProblems(stateAt(nowMs, [], changes), thresholds, nowMs).silent;

  it('report a network of which a fifth of the devices is offline, and not its sites', () => {
    expect(darkAt(noon, ids(100, 4))).to.deep.equal([{ network: 1, offline: 4, devices: 20 }]);
  });

  it('report a site if the share of its network is lower', () => {
    expect(darkAt(noon, ids(100, 3))).to.deep.equal([{ network: 1, site: 10, offline: 3, devices: 10 }]);
    expect(darkAt(noon, [100, 110])).to.deep.equal([]);
  });

  it('do not report a single device', () => {
    expect(darkAt(noon, [200])).to.deep.equal([]);
  });

  it('count no devices of sites that are closed or have just opened, none that are retired, and none that were never seen', () => {
    for (const time of ['07:59', '08:29', '20:00']) expect(darkAt(at(time), ids(100, 10)), time).to.deep.equal([]);
    expect(darkAt(at('08:30'), ids(100, 10))).to.have.length(1);
    const retired = ids(100, 4).map((id) => ({ ...file.devices[id - 100]!, retired: true }));
    const registry = registryOf([
      [registeredMs, file],
      [registeredMs + 1, { devices: retired }],
    ]);
    expect(darkAt(noon, ids(100, 4), { registry })).to.deep.equal([]);
    const { devices } = stateAt(noon, []);
    expect(darkAt(noon, [], { devices: devices.filter(({ id }) => id >= 104) })).to.deep.equal([]);
  });

  it('do not report devices of retired sites and networks', () => {
    const retire = (change: object) =>
      registryOf([
        [registeredMs, file],
        [registeredMs + 1, change],
      ]);
    const sites = [{ ...file.sites[0]!, retired: true }];
    expect(darkAt(noon, ids(100, 5), { registry: retire({ sites }) })).to.deep.equal([]);
    const registry = retire({ networks: [{ ...file.networks[0]!, retired: true }] });
    expect(darkAt(noon, ids(100, 5), { registry })).to.deep.equal([]);
    expect(silentAt(noon, { registry, devices: [], vendors: [] })).to.deep.equal([
      { network: 2, sinceMs: registeredMs },
    ]);
  });

  it('report nothing that read models which are behind may lack', () => {
    expect(darkAt(noon, ids(100, 4), { asOfMs: noon - 61_000 })).to.deep.equal([]);
    const vendors = [{ network_id: 1, vendor: 'acme', hour_ms: at('08:00') }];
    expect(silentAt(noon, { vendors, asOfMs: at('10:30') })).to.deep.equal([]);
  });

  it('report a vendor that sent plays before, after two opening hours without one', () => {
    const lastAt = (time: string) => ({ vendors: [{ network_id: 1, vendor: 'acme', hour_ms: at(time) }] });
    expect(silentAt(at('12:59'), lastAt('10:00'))).to.deep.equal([]);
    expect(silentAt(at('13:00'), lastAt('10:00'))).to.deep.equal([
      { network: 1, vendor: 'acme', sinceMs: at('11:00') },
    ]);
    // The site closes at 20:00 and opens at 08:00.
    const lastEvening = { vendors: [{ network_id: 1, vendor: 'acme', hour_ms: at('18:00') - 24 * hourMs }] };
    expect(silentAt(at('08:59'), lastEvening)).to.deep.equal([]);
    expect(silentAt(at('09:00'), lastEvening)).to.have.length(1);
    expect(silentAt(noon, { vendors: [{ network_id: 1, vendor: 'unknown', hour_ms: at('08:00') }] })).to.deep.equal([]);
  });

  it('report a network without plays and heartbeats, and not its vendors', () => {
    const receivedMs = noon - 2 * hourMs;
    const devices = stateAt(noon, []).devices.map((device) => ({ ...device, received_ms: receivedMs }));
    const vendors = [{ network_id: 1, vendor: 'acme', hour_ms: at('08:00') }];
    expect(silentAt(noon, { devices, vendors })).to.deep.equal([
      { network: 1, sinceMs: receivedMs },
      { network: 2, sinceMs: receivedMs },
    ]);
    expect(silentAt(noon, { devices, vendors: [], isRead: (network) => network !== 1 })).to.deep.equal([
      { network: 2, sinceMs: receivedMs },
    ]);
    expect(silentAt(noon, { devices: [], vendors: [] })).to.deep.equal([
      { network: 1, sinceMs: registeredMs },
      { network: 2, sinceMs: registeredMs },
    ]);
  });

  it('are at most ten in a report, which says how many more there are', () => {
    const silent = ids(3, 14).map((network) => ({ network, sinceMs: registeredMs }));
    const flow = reportFleet({ dark: [], silent }).filter(({ check }) => check === 'flow');
    expect(flow).to.have.length(10);
    expect(flow[8]!.found).to.equal('neither plays nor heartbeats were received');
    expect(flow[9]!.found).to.equal('neither plays nor heartbeats were received; 4 more like this');
  });

  describe('of a running service', () => {
    const nowMs = at('12:30');
    let clock: sinon.SinonFakeTimers;
    let system: TestSystem;
    before(async () => {
      clock = sinon.useFakeTimers({ now: registeredMs, toFake: ['Date'], shouldAdvanceTime: true });
      system = await startTestSystem();
      await system.register(file);
      clock.setSystemTime(nowMs);
      for (const { id } of file.devices) await beat(id, nowMs - (id < 105 ? hourMs : minuteMs));
      await play('09:10');
      await system.project();
    });
    after(async () => {
      clock.restore();
      await system.close();
    });

    const beat = (deviceId: number, ms: number) => {
      const sentAt = new Date(ms).toISOString();
      return system.heartbeat({ deviceId, at: sentAt }, { receivedAt: sentAt, network: deviceId < 200 ? 1 : 2 });
    };
    const play = (time: string) => {
      const playedAt = new Date(at(time)).toISOString();
      return system.play({ screenId: 'screen-1', playedAt }, { receivedAt: playedAt });
    };
    const watchWith = (shards: readonly ShardReader[]) => {
      const metrics = createMetrics('test');
      const log = createLog('test', 'silent');
      const { postgres, store } = system;
      const registryLog = createRegistryLog(store, log);
      return { metrics, watch: createFleetWatch({ postgres, metrics, log, thresholds, shards, registryLog }) };
    };
    const reportOf = async (watch: FleetWatch) =>
      (await watch.report()).map(({ check, problem, subject, found }) => [check, problem, subject, found]);
    const darkNetwork = ['devices', 'dark-network', 'network 1', '5 of 20 devices at open sites are offline'];

    it('are read from the registry and the read models, and reported with their number', async () => {
      const { metrics, watch } = watchWith([{ shard: onlyShard, reader: system.reader }]);
      expect(await reportOf(watch)).to.deep.equal([
        darkNetwork,
        ['flow', 'vendor-silent', 'vendor acme of network 1', 'no play was received'],
      ]);
      const found = await watch.report();
      expect(found[1]!.since).to.equal('2026-09-17T10:00:00.000Z');
      expect(found[0]!.advice).to.include('popsvc outages list --network ID --open');
      const text = await metrics.metrics();
      expect(text).to.match(/popsvc_fleet_problems\{problem="dark-network"[^}]*\} 1/);
      expect(text).to.match(/popsvc_fleet_problems\{problem="dark-site"[^}]*\} 0/);
    });

    it('are not reported for networks of a shard that is away', async () => {
      const away = {
        rows: () => Promise.reject(new Error('connect ECONNREFUSED')),
      } as unknown as ShardReader['reader'];
      // The shard of network 2, without the rows of network 1.
      const own = {
        rows: async (query: Sql) =>
          (await system.reader.rows<{ network_id?: number }>(query)).filter(({ network_id }) => network_id !== 1),
      } as unknown as ShardReader['reader'];
      const { watch } = watchWith([
        { shard: { index: 0, of: 2 }, reader: own },
        { shard: { index: 1, of: 2 }, reader: away },
      ]);
      expect((await watch.report()).map(({ outcome }) => outcome)).to.deep.equal(['ok', 'ok']);
      const { watch: blind } = watchWith([{ shard: onlyShard, reader: away }]);
      expect((await blind.report()).map(({ outcome }) => outcome)).to.deep.equal(['skipped', 'skipped']);
    });

    it('know the last plays of a vendor that were projected late', async () => {
      const late: ShardReader['reader'] = { ...system.reader };
      const log = createLog('test', 'silent');
      const { postgres, store } = system;
      const read = createFleetReading({
        shards: [{ shard: onlyShard, reader: late }],
        postgres,
        registryLog: createRegistryLog(store, log),
        log,
      });
      const hoursOf = async () => (await read(nowMs)).vendors.map(({ hour_ms }) => hour_ms);
      late.rows = <Row>(query: Sql) =>
        query.texts.join('').includes('as_of_ms')
          ? Promise.resolve([{ as_of_ms: at('04:00') } as Row])
          : system.reader.rows<Row>(query);
      const before = await hoursOf();
      await system.play(
        { screenId: 'screen-1', playedAt: new Date(at('05:10')).toISOString() },
        { receivedAt: new Date(at('05:10')).toISOString(), vendor: 'late' },
      );
      await system.project();
      expect(await hoursOf()).to.have.members([...before, at('05:00')]);
    });

    it('end with the next read after plays were received', async () => {
      const { watch } = watchWith([{ shard: onlyShard, reader: system.reader }]);
      expect((await reportOf(watch)).map(([, problem]) => problem)).to.include('dark-network');
      await play('12:20');
      for (const { id } of file.devices) await beat(id, nowMs);
      await system.project();
      // The watch keeps what it read for 30 s.
      const elapsed = performance.now.bind(performance);
      const later = sinon.stub(performance, 'now').callsFake(() => elapsed() + 31_000);
      try {
        const subjects = (await reportOf(watch)).map(([, , subject]) => subject);
        expect(subjects).not.to.include('network 1').and.not.to.include('vendor acme of network 1');
      } finally {
        later.restore();
      }
    });
  });
});
