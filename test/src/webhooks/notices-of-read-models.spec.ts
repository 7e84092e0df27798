import { randomUUID } from 'node:crypto';
import { intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { onlyShard } from '@popsvc/domain/partitioning';
import { type ClickHouseReader, openClickHouseReader, type Sql } from '@popsvc/platform/clickhouse';
import { createFleetReading, createRegistryLog } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import sinon from 'sinon';
import { log } from '../message-bus/bus.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { followedMonitor, type FollowedMonitor, readNotices, standardThresholds } from './notices.fixture.ts';

const hourMs = 3_600_000;
const dayOf = (ms: number) => instantOf(ms).slice(0, 10);

/** The demo site is always open, so that silence counts. */
const registry = { ...smallRegistry, sites: [{ id: 2, name: 'Quayside', network: 1, timezone: 'Europe/London' }] };

describe('notices of read models', function () {
  let system: TestSystem;
  let reader: ClickHouseReader;
  let monitor: FollowedMonitor;
  let seen = 0;
  const thisHourMs = Math.floor(Date.now() / hourMs) * hourMs;
  let nowMs = thisHourMs + 60_000;
  const today = dayOf(thisHourMs);
  /** The tests begin in the middle of the hour, so that no hour or day ends during them. */
  let clock: sinon.SinonFakeTimers;
  /** With -24 hours, a day is final at its beginning. */
  const thresholds = { ...standardThresholds, reportFinalHours: -24, quarantineAlertRows: 2 };
  const openMonitor = (rows = reader.rows.bind(reader)) => {
    const { postgres, store } = system;
    const shards = [{ shard: onlyShard, reader: { ...reader, rows } }];
    const registryLog = createRegistryLog(store, log);
    const readFleet = createFleetReading({ shards, postgres, registryLog, log });
    return followedMonitor(system, { shards, registryLog, readFleet, thresholds, clock: { now: () => nowMs } });
  };
  before(async () => {
    clock = sinon.useFakeTimers({ now: thisHourMs + hourMs / 2, toFake: ['Date'], shouldAdvanceTime: true });
    system = await startTestSystem();
    await system.register(registry);
    const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = system.env;
    reader = openClickHouseReader({ url: url!, username: username!, password: password! });
    monitor = openMonitor();
    await system.play({ playedAt: instantOf(Date.now() - 1_000), eventId: 'first' });
    await system.project();
    await monitor.follow();
  });
  after(async () => {
    clock.restore();
    await reader.close();
    await system.close();
  });
  const newNotices = async () => {
    const all = await readNotices(system.store);
    const found = all.slice(seen);
    seen = all.length;
    return found.map(({ notice }) => notice);
  };
  const sweep = async () => {
    await monitor.follow((each) => each.sweep());
    return newNotices();
  };
  const sweepRestated = async () => {
    await monitor.follow((each) => each.sweepRestatedDays());
    return newNotices();
  };

  it('report each final day of a network once', async () => {
    const expected = { type: 'report_day.final', timestamp: instantOf(nowMs), data: { network_id: 1, day: today } };
    expect([await sweep(), await sweep()]).to.deep.equal([[expected], []]);
  });

  it('report a final day whose rows changed, at most once an hour', async () => {
    expect(await sweepRestated()).to.deep.equal([]);
    const change = async () => {
      await system.play({ playedAt: instantOf(Date.now() - 1_000) });
      await system.project();
    };
    const restated = () => ({
      type: 'report_day.restated',
      timestamp: instantOf(nowMs),
      data: { network_id: 1, day: today, reports: ['coffee'] },
    });
    await change();
    expect([await sweepRestated(), await sweepRestated()]).to.deep.equal([[restated()], []]);
    await change();
    expect(await sweepRestated()).to.deep.equal([]);
    expect(await sweepRestated()).to.deep.equal([]);
    nowMs += hourMs;
    expect([await sweepRestated(), await sweepRestated()]).to.deep.equal([[restated()], []]);
    nowMs += hourMs;
    expect(await sweepRestated()).to.deep.equal([]);
  });

  it('report a restated day once its pending ranges are derived, however late', async () => {
    const pending = { projection: 'coffee', network: 1, last_network: 1, partitions: 1, shards: 1, as_of_ms: 0 };
    /** A batch puts a range off between the first two queries of a sweep. */
    let state: 'derived' | 'batch' | 'pending' = 'derived';
    const late = openMonitor(<Row>(query: Sql): Promise<Row[]> => {
      const isPending = state === 'pending' && query.texts.join('').includes('pending_live');
      if (state === 'batch') state = 'pending';
      return isPending ? Promise.resolve([pending as Row]) : reader.rows<Row>(query);
    });
    const found: unknown[] = [];
    await late.follow(async (each) => {
      await system.play({ playedAt: instantOf(Date.now() - 1_000) });
      await system.project();
      for (state of ['batch', 'derived'] as const) {
        nowMs += 2 * hourMs;
        await each.sweepRestatedDays();
        found.push((await newNotices()).map(({ type }) => type));
      }
    });
    expect(found).to.deep.equal([[], ['report_day.restated']]);
  });

  it('do not report a day whose rows were written again with the same content', async () => {
    await system.postgres.query('UPDATE report_day_checks SET position = 0');
    nowMs += hourMs;
    expect(await sweepRestated()).to.deep.equal([]);
    await system.postgres.query('UPDATE report_day_checks SET position = 0');
    await system.postgres.query(`UPDATE report_day_hashes SET hash = 'other' WHERE report = 'coffee'`);
    expect((await sweepRestated()).map(({ data }) => 'reports' in data && data.reports)).to.deep.equal([['coffee']]);
  });

  it('do not report the days that a replay wrote and that had no hash', async () => {
    await system.postgres.query(`UPDATE report_day_checks SET tables_id = 'before the replay'`);
    await system.postgres.query('DELETE FROM report_day_hashes');
    nowMs += hourMs;
    expect(await sweepRestated()).to.deep.equal([]);
    expect((await system.postgres.query('SELECT FROM report_day_hashes')).rowCount).to.equal(1);
    await system.play({ playedAt: instantOf(Date.now() - 1_000) });
    await system.project();
    expect((await sweepRestated()).length).to.equal(1);
  });

  it('report the days whose rows a replay changed, also those that it left without rows', async () => {
    await system.postgres.query(`UPDATE report_day_checks SET tables_id = 'before the replay'`);
    await system.postgres.query(`UPDATE report_day_hashes SET hash = 'other' WHERE report = 'coffee'`);
    await system.postgres.query(
      `INSERT INTO report_day_hashes (report, network_id, day, hash) VALUES ('watcher-summary', 1, '2026-08-20', 'other')`,
    );
    nowMs += 2 * hourMs;
    const [one, other] = await sweepRestated();
    expect(one!.data).to.deep.equal({ network_id: 1, day: '2026-08-20', reports: ['watcher-summary'] });
    expect(other!.data).to.deep.equal({ network_id: 1, day: today, reports: ['coffee'] });
    nowMs += 2 * hourMs;
    expect(await sweepRestated()).to.deep.equal([]);
  });

  it('report a vendor of which too many events of an hour wait in quarantine, once an hour', async () => {
    nowMs = Date.now();
    const quarantined = (count: number) =>
      system.append(intakeStream('dynamicPop', 1, 'acme', Date.now()), 'DynamicPlaysRecorded', {
        schemaVersion: 'v1',
        items: Array.from({ length: count }, () => ({ id: randomUUID() })),
      });
    await quarantined(2);
    await system.project();
    expect(await sweep()).to.deep.equal([]);
    await quarantined(1);
    await system.project();
    const [notice, ...others] = await sweep();
    expect(others).to.deep.equal([]);
    expect(notice!.type).to.equal('quarantine.growing');
    expect(notice!.data).to.include({ network_id: 1, vendor: 'acme', quarantined: 3, threshold: 2 });
    expect(await sweep()).to.deep.equal([]);
  });

  it('report a silent vendor once, until it sends plays again', async () => {
    await system.register({
      ...registry,
      vendors: [...registry.vendors, { code: 'quiet', name: 'Quiet', network: 1 }],
    });
    const receivedAt = instantOf(Date.now() - 5 * hourMs);
    await system.play({ playedAt: receivedAt }, { vendor: 'quiet', receivedAt });
    await system.project();
    // Another process, which has not read the receipts of that hour yet.
    monitor = openMonitor();
    const silentSince = instantOf((Math.floor(Date.parse(receivedAt) / hourMs) + 1) * hourMs);
    expect(await sweep()).to.deep.equal([
      {
        type: 'vendor.silent',
        timestamp: instantOf(nowMs),
        data: { network_id: 1, vendor: 'quiet', silent_since: silentSince },
      },
    ]);
    expect(await sweep()).to.deep.equal([]);
  });

  it('report the final days of a network that is retired, up to the day of its retirement', async () => {
    const network = { ...registry.networks[0], id: 9, name: 'Retired media' };
    await system.register({ networks: [network] });
    await system.register({ networks: [{ ...network, retired: true }] });
    await system.project();
    expect(await sweep()).to.deep.equal([
      { type: 'report_day.final', timestamp: instantOf(nowMs), data: { network_id: 9, day: today } },
    ]);
  });
});
