import { heartbeats, intervals } from '@popsvc/read-models/tables';
import { type AppHeartbeat, type IntervalRecord, intervalsFromRuns, computeUptime } from '@popsvc/domain/uptime';
import { groupHeartbeats } from '../oracle/uptime.ts';
import { openClickHouseReader, type ClickHouseReader } from '@popsvc/platform/clickhouse';
import { appRecords } from '@popsvc/query-api/uptime';
import { expect } from 'chai';
import fc from 'fast-check';
import { sharedClickHouse } from '../support/engines.ts';
import { beatRow, intervalRow } from './status-rows.fixture.ts';
import { openWorld, type World } from './world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const apps = isLong ? 3_000 : 25;
const [minute, day] = [60_000, 86_400_000];
const start = Date.UTC(2026, 1, 27);
const nowMs = start + 12 * day;

const state = fc.constantFrom('running' as const, 'stopped' as const);
/** Bursts on few days, so that runs, changes, gaps, repetitions and instants of two states come by, now and then ahead of now. */
const beats = fc
  .array(
    fc.record({
      on: fc.nat(12),
      from: fc.nat(30),
      states: fc.array(state, { minLength: 1, maxLength: 3 }),
      steps: fc.array(fc.constantFrom(0, 1, 59_999, minute, 179_999, 180_000, 180_001, 400_000), { maxLength: 20 }),
    }),
    { maxLength: 6 },
  )
  .map((bursts) =>
    bursts.flatMap(({ on, from, states, steps }) => {
      let atMs = start + on * day + from * minute;
      return [0, ...steps].map((step, index): AppHeartbeat => ({
        atMs: (atMs += step),
        state: states[index % states.length]!,
      }));
    }),
  );
const offset = fc.option(
  fc.nat(600).map((minutes) => minutes * minute),
  { nil: null },
);
const pushed = fc.uniqueArray(
  fc
    .record({ state, on: fc.nat(12), from: fc.nat(60), length: offset, heard: offset })
    .map(({ on, from, length, heard, ...rest }): IntervalRecord => {
      const startedAtMs = start + on * day + from * minute;
      const endedAtMs = length === null ? null : startedAtMs + length;
      const heardMs = heard === null ? null : startedAtMs + Math.min(heard, length ?? heard);
      return { ...rest, startedAtMs, endedAtMs, lastHeartbeatAtMs: heardMs };
    }),
  { maxLength: 4, selector: ({ startedAtMs }) => startedAtMs },
);
const edge = fc.tuple(fc.nat(12), fc.nat(120)).map(([on, minutes]) => start + on * day + minutes * minute);
const window = fc
  .tuple(edge, edge)
  .filter(([one, other]) => one !== other && Math.min(one, other) < nowMs)
  .map(([one, other]) => ({ from: Math.min(one, other), to: Math.min(nowMs, Math.max(one, other)) }));
const history = fc.record({ beats, pushed, windows: fc.tuple(window, window) });

const sorted = (records: readonly IntervalRecord[]) => records.map((record) => JSON.stringify(record)).toSorted();

describe('uptime as the store reduces it', function () {
  this.timeout(isLong ? 900_000 : 60_000);
  let world: World;
  let reader: ClickHouseReader;
  before(async () => {
    world = await openWorld();
    const engine = await sharedClickHouse();
    reader = openClickHouseReader({ url: `${engine.url}/${world.database}`, ...engine.reader });
  });
  after(async () => {
    await reader.close();
    await world.close();
  });

  it(`is what the domain says (${apps} apps)`, async () => {
    const told = fc.sample(history, isLong ? apps : { numRuns: apps, seed: 805 });
    const place = (device: number) => ({ network_id: 1, device_id: device + 1 });
    let pos = 0;
    await world.insert(
      heartbeats,
      told.flatMap(({ beats: some }, device) =>
        some.map(({ atMs, ...rest }) => beatRow({ ...place(device), ...rest, at: atMs, pos: (pos += 1) })),
      ),
    );
    await world.insert(
      intervals,
      told.flatMap(({ pushed: some }, device) =>
        some.map(({ startedAtMs, endedAtMs, lastHeartbeatAtMs, ...rest }) => {
          const times = { started_at: startedAtMs, ended_at: endedAtMs, last_heartbeat_at: lastHeartbeatAtMs };
          return intervalRow({ ...place(device), ...rest, ...times, pos: (pos += 1) });
        }),
      ),
    );
    const { signal } = new AbortController();
    const read = (device: number, asked: { from: number; to: number }) =>
      appRecords({ reader, signal }, { network: 1, deviceId: device + 1, appCode: 'player' }, asked, nowMs);
    let found = 0;
    for (const [device, { beats: some, pushed: others, windows }] of told.entries()) {
      const begun = others.filter(({ startedAtMs }) => startedAtMs <= nowMs);
      const all = [...begun, ...intervalsFromRuns(groupHeartbeats(some.filter(({ atMs }) => atMs <= nowMs)))];
      const everything = { from: 0, to: nowMs + 1 };
      const [whole, ...parts] = await Promise.all([everything, ...windows].map((asked) => read(device, asked)));
      expect(sorted(whole!), JSON.stringify(told[device])).deep.equal(sorted(all));
      for (const [index, asked] of windows.entries()) {
        const expected = computeUptime(all, asked, nowMs);
        expect(computeUptime(parts[index]!, asked, nowMs), JSON.stringify({ ...told[device], asked })).deep.equal(
          expected,
        );
        found += expected.intervalCount;
      }
    }
    expect(found, 'the windows are not empty').greaterThan(apps);
  });
});
