import { heartbeats, intervals } from '@popsvc/read-models/tables';
import type { Span } from '@popsvc/domain/spans';
import {
  type AppHeartbeat,
  appSilenceMs,
  type IntervalRecord,
  intervalsFromRuns,
  computeUptime,
} from '@popsvc/domain/uptime';
import { groupHeartbeats } from '../oracle/uptime.ts';
import { openClickHouseReader, type ClickHouseReader } from '@popsvc/platform/clickhouse';
import { readAppIntervals } from '@popsvc/query-api/uptime';
import { expect } from 'chai';
import fc from 'fast-check';
import { sharedClickHouse } from '../support/engines.ts';
import { heartbeatRow, intervalRow } from './status-rows.fixture.ts';
import { startTestQueryApi, type TestQueryApi } from './test-query-api.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const apps = isLong ? 3_000 : 25;
const [minute, day] = [60_000, 86_400_000];
const start = Date.UTC(2026, 1, 27);
const nowMs = start + 12 * day;

const state = fc.constantFrom('running' as const, 'stopped' as const);
/** Bursts of heartbeats on few days, so that runs, changes, gaps, repetitions, instants with two states and future times occur. */
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
    .record({ state, on: fc.nat(12), from: fc.nat(60), length: offset, lastHeartbeat: offset })
    .map(({ on, from, length, lastHeartbeat, ...rest }): IntervalRecord => {
      const startedAtMs = start + on * day + from * minute;
      const endedAtMs = length === null ? null : startedAtMs + length;
      const lastHeartbeatAtMs =
        lastHeartbeat === null ? null : startedAtMs + Math.min(lastHeartbeat, length ?? lastHeartbeat);
      return { ...rest, startedAtMs, endedAtMs, lastHeartbeatAtMs: lastHeartbeatAtMs };
    }),
  { maxLength: 4, selector: ({ startedAtMs }) => startedAtMs },
);
const edge = fc.tuple(fc.nat(12), fc.nat(120)).map(([on, minutes]) => start + on * day + minutes * minute);
const window = fc
  .tuple(edge, edge)
  .filter(([one, other]) => one !== other && Math.min(one, other) < nowMs)
  .map(([one, other]) => ({ from: Math.min(one, other), to: Math.min(nowMs, Math.max(one, other)) }));
/** The heartbeats and pushed intervals of an app, and the windows to request. */
interface History {
  readonly beats: readonly AppHeartbeat[];
  readonly pushed: readonly IntervalRecord[];
  readonly windows: readonly Span[];
}
const history: fc.Arbitrary<History> = fc.record({ beats, pushed, windows: fc.tuple(window, window) });

const running = (startedAtMs: number, endedAtMs: number | null, lastHeartbeatAtMs: number | null): IntervalRecord => ({
  state: 'running',
  startedAtMs,
  endedAtMs,
  lastHeartbeatAtMs,
});

/** Histories with heartbeats and intervals at each border of a window, of silence and of the current time, and 1 ms before and after it. */
const historiesAtBorders = (): History[] => {
  const past = { from: start + day, to: start + 2 * day };
  const { from, to } = past;
  const current = { from: nowMs - day, to: nowMs };
  const beating = (requested: Span, ...times: number[]): History => ({
    beats: times.map((atMs) => ({ atMs, state: 'running' })),
    pushed: [],
    windows: [requested],
  });
  const pushing = (requested: Span, ...intervals: IntervalRecord[]): History => ({
    beats: [],
    pushed: intervals,
    windows: [requested],
  });
  /** Only the newest open interval lasts until silence, so this one makes the others older. */
  const newer = running(to + day, null, null);
  return [-1, 0, 1].flatMap((ms) => [
    beating(past, from - appSilenceMs + ms, from),
    beating(past, from - appSilenceMs - 1, from - 1 + ms, from + 1_000),
    beating(past, to - 1_000, to + ms),
    beating(past, to - 1, to - 1 + appSilenceMs + ms),
    beating(current, nowMs - 1_000, nowMs + ms),
    pushing(past, running(from - 1_000, from + ms, null), newer),
    pushing(past, running(from + ms, from + ms, null), newer),
    pushing(past, running(to + ms, to + 1_000, null), newer),
    pushing(past, running(from - day, null, from - appSilenceMs + ms)),
    pushing(past, running(from - day, null, from + ms), newer),
    pushing(current, running(current.from, null, current.from + 1_000), running(nowMs + ms, null, null)),
    pushing(current, running(current.from, null, nowMs - appSilenceMs + ms)),
  ]);
};

const sorted = (records: readonly IntervalRecord[]) => records.map((record) => JSON.stringify(record)).toSorted();

describe('uptime from ClickHouse', function () {
  this.timeout(isLong ? 900_000 : 180_000);
  let api: TestQueryApi;
  let reader: ClickHouseReader;
  before(async () => {
    api = await startTestQueryApi();
    const engine = await sharedClickHouse();
    reader = openClickHouseReader({ url: `${engine.url}/${api.database}`, ...engine.reader });
  });
  after(async () => {
    await reader.close();
    await api.close();
  });

  it(`equals uptime from the specification (${apps} apps, and one at each border)`, async () => {
    const histories = [...fc.sample(history, isLong ? apps : { numRuns: apps, seed: 805 }), ...historiesAtBorders()];
    const deviceFields = (device: number) => ({ network_id: 1, device_id: device + 1 });
    let pos = 0;
    await api.insert(
      heartbeats,
      histories.flatMap(({ beats: some }, device) =>
        some.map(({ atMs, ...rest }) => heartbeatRow({ ...deviceFields(device), ...rest, at: atMs, pos: (pos += 1) })),
      ),
    );
    await api.insert(
      intervals,
      histories.flatMap(({ pushed: some }, device) =>
        some.map(({ startedAtMs, endedAtMs, lastHeartbeatAtMs, ...rest }) => {
          const times = { started_at: startedAtMs, ended_at: endedAtMs, last_heartbeat_at: lastHeartbeatAtMs };
          return intervalRow({ ...deviceFields(device), ...rest, ...times, pos: (pos += 1) });
        }),
      ),
    );
    const { signal } = new AbortController();
    const read = (device: number, span: { from: number; to: number }) =>
      readAppIntervals({ reader, signal }, { network: 1, deviceId: device + 1, appCode: 'player' }, span, nowMs);
    let found = 0;
    for (const [device, { beats: some, pushed: others, windows }] of histories.entries()) {
      const begun = others.filter(({ startedAtMs }) => startedAtMs <= nowMs);
      const all = [...begun, ...intervalsFromRuns(groupHeartbeats(some.filter(({ atMs }) => atMs <= nowMs)))];
      const everything = { from: 0, to: nowMs + 1 };
      const [whole, ...parts] = await Promise.all([everything, ...windows].map((span) => read(device, span)));
      expect(sorted(whole!), JSON.stringify(histories[device])).deep.equal(sorted(all));
      for (const [index, span] of windows.entries()) {
        const expected = computeUptime(all, span, nowMs);
        expect(computeUptime(parts[index]!, span, nowMs), JSON.stringify({ ...histories[device], span })).deep.equal(
          expected,
        );
        found += expected.intervalCount;
      }
    }
    expect(found, 'the windows are not empty').greaterThan(apps);
  });
});
