import { randomUUID } from 'node:crypto';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { listShards, shardOwnsNetwork } from '@popsvc/domain/partitioning';
import { emptyRegistry } from '@popsvc/domain/registry';
import { type ClickHouseReader, openClickHouseReader, type ShardReader, type Sql } from '@popsvc/platform/clickhouse';
import { createRegistryLog } from '@popsvc/ops-api/server';
import { createLog } from '@popsvc/platform/telemetry';
import type { NoticeMonitor } from '@popsvc/projectors/notices';
import { expect } from 'chai';
import sinon from 'sinon';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { followedMonitor, type FollowedMonitor, readNotices, standardThresholds } from './notices.fixture.ts';

const hourMs = 3_600_000;
const networks = [1, 2];
const registry = {
  networks: networks.map((id) => ({ id, name: `Network ${id}`, timezone: 'Europe/London' })),
  vendors: networks.map((network) => ({ code: `v${network}`, name: `Vendor ${network}`, network })),
  sites: networks.map((id) => ({ id, name: `Site ${id}`, network: id, timezone: 'Europe/London' })),
  locations: networks.map((id) => ({ id, name: `Location ${id}`, site: id })),
  devices: networks.map((id) => ({ id, name: `Device ${id}`, location: id, screen_ids: [`screen-${id}`] })),
};

describe('notices of two shards', () => {
  let system: TestSystem;
  let reader: ClickHouseReader;
  let monitor: FollowedMonitor;
  /** The tests begin in the middle of the hour, so that no hour or day ends during them. */
  let clock: sinon.SinonFakeTimers;
  let nowMs: number;
  /** Whether the shard of network 1 is away. */
  let isAway = false;
  const log = createLog('test', 'silent');
  const warn = sinon.stub(log, 'warn');

  /** Reads the rows of a shard: the tables of the test system hold those of both. */
  const openShard = (shard: ShardReader['shard']): ShardReader => ({
    shard,
    reader: {
      rows: async (query: Sql) => {
        if (isAway && shardOwnsNetwork(shard, 1)) throw new Error('connect ECONNREFUSED');
        const rows = await reader.rows<{ network_id?: number; network?: number }>(query);
        return rows.filter(({ network_id, network = network_id }) => !network || shardOwnsNetwork(shard, network));
      },
    } as unknown as ShardReader['reader'],
  });
  const play = async () => {
    for (const network of networks)
      await system.play(
        { screenId: `screen-${network}`, playedAt: instantOf(Date.now() - 1_000) },
        { network, vendor: `v${network}` },
      );
    await system.project();
  };

  before(async () => {
    const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs;
    nowMs = thisHourMs + hourMs / 2;
    clock = sinon.useFakeTimers({ now: nowMs, toFake: ['Date'], shouldAdvanceTime: true });
    system = await startTestSystem();
    await system.register(registry);
    await play();
    const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = system.env;
    reader = openClickHouseReader({ url: url!, username: username!, password: password! });
    monitor = followedMonitor(system, {
      log,
      shards: listShards(2).map(openShard),
      registryLog: createRegistryLog(system.store, log),
      readFleet: () =>
        Promise.resolve({ registry: emptyRegistry(), isRead: () => true, asOfMs: 0, devices: [], vendors: [] }),
      // With -24 hours, a day is final at its beginning.
      thresholds: { ...standardThresholds, reportFinalHours: -24, quarantineAlertRows: 2 },
      clock: { now: () => nowMs },
    });
    await monitor.follow();
  });
  after(async () => {
    clock.restore();
    await reader.close();
    await system.close();
  });

  /** Runs a sweep while the shard of network 1 is away, and two after it has returned. Returns the new notices of each. */
  const sweepAroundReturn = async (sweep: (each: NoticeMonitor) => Promise<void>) => {
    const found: unknown[] = [];
    let seen = (await readNotices(system.store)).length;
    warn.resetHistory();
    await monitor.follow(async (each) => {
      for (isAway of [true, false, false]) {
        await sweep(each);
        const all = await readNotices(system.store);
        found.push(all.slice(seen).map(({ notice }) => [notice.type, notice.data.network_id]));
        seen = all.length;
      }
    });
    return found;
  };
  const expectOneWarning = () => {
    const message = 'failed to issue the notices of a shard; retrying';
    sinon.assert.calledOnceWithExactly(warn, sinon.match({ shard: 'shard 2 of 2', err: sinon.match.any }), message);
  };

  it('report the final days of the shard that can be read, and those of the other when it returns', async () => {
    expect(await sweepAroundReturn((each) => each.sweep())).to.deep.equal([
      [['report_day.final', 2]],
      [['report_day.final', 1]],
      [],
    ]);
    expectOneWarning();
  });

  it('report growing quarantines of the shard that can be read, and those of the other when it returns', async () => {
    for (const network of networks)
      await system.append(
        intakeStream('dynamicPop', network, `v${network}`, Date.now()),
        'DynamicPlaysRecorded',
        { schemaVersion: 'v1', items: Array.from({ length: 3 }, () => ({ id: randomUUID() })) },
        { network, vendor: `v${network}` },
      );
    await system.project();
    expect(await sweepAroundReturn((each) => each.sweep())).to.deep.equal([
      [['quarantine.growing', 2]],
      [['quarantine.growing', 1]],
      [],
    ]);
    expectOneWarning();
  });

  it('report restated days of the shard that can be read, and those of the other however late it returns', async () => {
    await play();
    // The parts with the plays are older than the previous sweep of the other shard.
    nowMs += 2 * hourMs;
    expect(await sweepAroundReturn((each) => each.sweepRestatedDays())).to.deep.equal([
      [['report_day.restated', 2]],
      [['report_day.restated', 1]],
      [],
    ]);
    expectOneWarning();
  });
});
