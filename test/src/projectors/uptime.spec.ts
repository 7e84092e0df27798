import { newerInterval, type IntervalVersion } from '../oracle/uptime.ts';
import { sequenceOf } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { at } from './coffee/coffee.fixture.ts';
import { listEvents } from '../support/list-events.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const count = isLong ? 5_000 : 300;
const startMs = Date.parse('2026-08-20T06:00:00.000Z');

interface Report {
  readonly state: 'running' | 'stopped';
  readonly endedAtMs: number | null;
  readonly lastHeartbeatAtMs: number | null;
  readonly revision: number;
}

/** Few instants and revisions, so that reports tie. */
const instantMs = fc.integer({ min: 0, max: 3 }).map((minutes) => startMs + minutes * 60_000);
const reports: fc.Arbitrary<Report[]> = fc.array(
  fc.record({
    state: fc.constantFrom('running' as const, 'stopped' as const),
    endedAtMs: fc.option(instantMs, { nil: null }),
    lastHeartbeatAtMs: fc.option(instantMs, { nil: null }),
    revision: fc.integer({ min: 0, max: 1 }),
  }),
  { minLength: 1, maxLength: 7 },
);
const text = (ms: number | null) => (ms === null ? null : instantOf(ms));

describe('uptime', () => {
  let service: TestSystem;
  before(async () => {
    service = await startTestSystem({ of: ['uptime'] });
  });
  after(() => service.close());

  it('stores every heartbeat as sent', async () => {
    await service.heartbeat({ deviceId: 4, at: at(0) }, { receivedAt: at(1) });
    await service.heartbeat(
      { deviceId: 4, appCode: 'player', state: 'stopped', at: at(-90_000) },
      { receivedAt: at(2) },
    );
    const pos = await service.heartbeat({ feederId: 5, at: at(3) }, { receivedAt: at(4), network: 2, vendor: 'other' });
    await service.projectOne('uptime');
    const rows = await service.writer.rows(
      `SELECT network_id, vendor, device_id, feeder_id, app, state, toUnixTimestamp64Milli(at) AS at_ms,
         toUnixTimestamp64Milli(received_at) AS received_ms FROM heartbeats_live ORDER BY pos`,
    );
    const row = (network_id: number, vendor: string, device_id: number, feeder_id: number) => ({
      network_id,
      vendor,
      device_id,
      feeder_id,
      app: '',
      state: '',
    });
    const times = (seconds: number, received: number) => ({
      at_ms: Date.parse(at(seconds)),
      received_ms: Date.parse(at(received)),
    });
    expect(rows).to.deep.equal([
      { ...row(1, 'acme', 4, 0), ...times(0, 1) },
      { ...row(1, 'acme', 4, 0), app: 'player', state: 'stopped', ...times(-90_000, 2) },
      { ...row(2, 'other', 0, 5), ...times(3, 4) },
    ]);
    const [last] = await service.writer.rows<{ pos: string }>('SELECT toString(max(pos)) AS pos FROM heartbeats_live');
    expect(last!.pos).to.equal(String(sequenceOf(pos)));
  });

  it('accepts heartbeats of every month since 2000 in one batch', async () => {
    const months = Array.from({ length: 320 }, (_, month) => new Date(Date.UTC(2000, month, 1)).toISOString());
    const events = listEvents(
      'HeartbeatsRecorded',
      months.map((at) => ({ deviceId: 8, at })),
      100,
    );
    await service.appendAll('heartbeat-1.acme.20260820', events);
    await service.projectOne('uptime');
    const [counted] = await service.writer.rows<{ n: string }>(
      'SELECT toString(count()) AS n FROM heartbeats_live WHERE network_id = 1 AND device_id = 8',
    );
    expect(counted!.n).to.equal('320');
  });

  it(`selects the report of an interval that the domain selects (${count} intervals)`, async function () {
    this.timeout(isLong ? 600_000 : 180_000);
    const all = fc.sample(reports, isLong ? count : { numRuns: count, seed: 47 });
    const depth = Math.max(...all.map(({ length }) => length));
    for (let round = 0; round < depth; round += 1) {
      const events = all.flatMap((versions, index) => {
        const version = versions[round];
        if (!version) return [];
        const { state, endedAtMs, lastHeartbeatAtMs, revision } = version;
        const named = { deviceId: index + 1, appCode: 'player', startedAt: instantOf(startMs) };
        const times = { endedAt: text(endedAtMs), lastHeartbeatAt: text(lastHeartbeatAtMs) };
        return [{ ...named, state, ...times, revision }];
      });
      await service.appendAll('interval-1.acme.20260820', listEvents('IntervalsRecorded', events, 100));
      await service.projectOne('uptime');
    }
    const rows = await service.writer.rows<Record<string, string | null>>(
      `SELECT toString(device_id) AS device, state, toUnixTimestamp64Milli(ended_at) AS ended,
         toUnixTimestamp64Milli(last_heartbeat_at) AS last_heartbeat, revision FROM current_intervals_live
       WHERE network_id = 1 AND app = 'player' ORDER BY device_id`,
    );
    expect(rows).to.have.length(count);
    const number = (value: unknown) => (value === null ? null : Number(value));
    const current = all.map((versions) =>
      versions
        .map((version, position): Report & IntervalVersion => ({ ...version, position }))
        .reduce((one, other) => newerInterval(one, other)),
    );
    for (const [index, row] of rows.entries()) {
      const { state, endedAtMs, lastHeartbeatAtMs, revision } = current[index]!;
      expect(
        [row['device'], row['state'], number(row['ended']), number(row['last_heartbeat']), number(row['revision'])],
        JSON.stringify(all[index]),
      ).to.deep.equal([String(index + 1), state, endedAtMs, lastHeartbeatAtMs, revision]);
    }
    const [kept] = await service.writer.rows<{ n: string }>('SELECT toString(count()) AS n FROM intervals_live');
    expect(Number(kept!.n), 'every report is stored').to.equal(all.flat().length);
  });
});
