import type { Cell } from '@popsvc/contracts/completeness';
import { readCompleteness } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import fc from 'fast-check';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { type Facts, type Outage, type Play, registryOf, writeFacts } from './completeness.fixture.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const hours = 6;
const startMs = Date.UTC(2026, 4, 1);
const minutes = { min: -70, max: (hours + 1) * 60 };

/** Screen a is on device 1; b moves from 1 to 2 after three hours; c is registered on 2 after two hours; d has no device. */
const registryOfNetwork = (network: number) => {
  const device = (id: number, screen_ids: string[]) => ({ id, name: `D${id}`, location: 3, screen_ids });
  return registryOf([
    [
      startMs - hourMs,
      {
        networks: [{ id: network, name: 'N', timezone: 'UTC' }],
        sites: [{ id: 2, name: 'S', network, timezone: 'UTC', business_hours: { fri: ['00:00-03:30'] } }],
        locations: [{ id: 3, name: 'L', site: 2 }],
        devices: [device(1, ['a', 'b']), device(2, [])],
      },
    ],
    [startMs + 2 * hourMs, { devices: [device(2, ['c'])] }],
    [startMs + 3 * hourMs, { devices: [device(1, ['a'])] }],
    [startMs + 3 * hourMs, { devices: [device(2, ['b', 'c'])] }],
  ]);
};
const deviceOf = (screen: string, hour: number) => (screen === 'c' ? 2 : screen === 'a' || hour < 3 ? 1 : 2);
/** The site is open from the first hour, 00:00, until the middle of the fourth. */
const isOpen = (hour: number) => hour <= 3;
const registeredHour = (screen: string) => (screen === 'c' ? 2 : -1);

interface Sample {
  readonly heartbeats: readonly { device: number; minute: number; lateS: number; app: boolean }[];
  readonly plays: readonly {
    screen: string;
    minute: number;
    durationMs: number;
    lateS: readonly number[];
    isDeleted: boolean;
  }[];
  readonly outages: readonly { device: number; gap: number; length: number }[];
  readonly nowMinute: number;
}

const lateS = fc.oneof(fc.integer({ min: 0, max: 400 }), fc.constantFrom(299, 300, 301, 20_000));
const sampleArbitrary: fc.Arbitrary<Sample> = fc.record({
  heartbeats: fc.array(
    fc.record({ device: fc.constantFrom(1, 2), minute: fc.integer(minutes), lateS, app: fc.boolean() }),
    {
      maxLength: 12,
    },
  ),
  plays: fc.array(
    fc.record({
      screen: fc.constantFrom('a', 'b', 'c', 'd'),
      minute: fc.integer(minutes),
      durationMs: fc.constantFrom(1, 10_000, hourMs),
      lateS: fc.array(lateS, { minLength: 1, maxLength: 3 }),
      isDeleted: fc.boolean(),
    }),
    { maxLength: 20, size: 'max' },
  ),
  outages: fc.array(
    fc.record({
      device: fc.constantFrom(1, 2),
      gap: fc.integer({ min: 5, max: 150 }),
      length: fc.integer({ min: 1, max: 120 }),
    }),
    { maxLength: 8, size: 'max' },
  ),
  nowMinute: fc.oneof(fc.constant(10_000), fc.integer({ min: 0, max: hours * 60 - 1 })),
});

/** Outages of a device follow each other; the last one may be ongoing. */
const outagesOf = (generated: Sample['outages']): Outage[] =>
  [1, 2].flatMap((device) => {
    let minute = minutes.min;
    const own = generated.filter((each) => each.device === device);
    return own.map(({ gap, length }, index) => {
      const from = minute + gap;
      minute = from + length;
      const isOngoing = index === own.length - 1 && length % 3 === 0;
      return { device, from: startMs + from * minuteMs, to: isOngoing ? null : startMs + minute * minuteMs };
    });
  });

const factsOf = ({ heartbeats, plays, outages }: Sample, network: number): Facts => ({
  network,
  heartbeats: heartbeats.map(({ device, minute, lateS: late, app }) => {
    const at = startMs + minute * minuteMs;
    return { device, at, receivedMs: at + late * 1_000, app };
  }),
  plays: plays.map(({ screen, minute, durationMs, lateS: late, isDeleted }): Play => {
    const at = startMs + minute * minuteMs;
    const device = screen === 'd' ? 0 : deviceOf(screen, Math.floor(minute / 60));
    return {
      screen,
      device,
      at,
      durationMs,
      recordedMs: late.map((each) => at + durationMs + each * 1_000),
      isDeleted,
    };
  }),
  outages: outagesOf(outages),
});

/** The reference model: computes each hour of each screen from all facts. */
const model = ({ heartbeats, plays, outages }: Facts, nowMs: number) => {
  const wasOffline = (device: number, at: number) =>
    outages.some((outage) => outage.device === device && outage.from <= at && at < (outage.to ?? Infinity));
  return ['a', 'b', 'c'].map((screen) => {
    const isWithin = (hour: number, { at }: { readonly at: number }) =>
      at >= startMs + hour * hourMs && at < startMs + (hour + 1) * hourMs;
    const playsIn = (hour: number) =>
      plays.filter((play) => play.screen === screen && !play.isDeleted && isWithin(hour, play));
    const cells = Array.from({ length: hours }, (_, hour): Cell => {
      const from = startMs + hour * hourMs;
      const device = deviceOf(screen, hour);
      const received = heartbeats.filter((heartbeat) => heartbeat.device === device && isWithin(hour, heartbeat));
      const played = playsIn(hour);
      const isRegistered = hour >= registeredHour(screen);
      const isClosed = isRegistered && !isOpen(hour);
      if (from > nowMs) return isClosed ? 'c' : isRegistered ? 'e' : '-';
      if (received.some(({ at, receivedMs }) => receivedMs - at > 300_000 && wasOffline(device, at))) return 'b';
      const lateness = ({ at, durationMs, recordedMs }: Play) => Math.min(...recordedMs) - at - durationMs;
      if (played.some((play) => lateness(play) > 300_000 && wasOffline(play.device, play.at))) return 'b';
      if (played.length > 0) return 'p';
      if (isClosed) return 'c';
      if (received.length > 0) return 's';
      return isRegistered ? 'o' : '-';
    });
    const isExpected = (hour: number) => isOpen(hour) && hour >= registeredHour(screen);
    const begun = [...cells.keys()].filter((hour) => startMs + hour * hourMs <= nowMs);
    const played = begun.filter((hour) => playsIn(hour).length > 0);
    const playedExpected = played.filter(isExpected).length;
    return [
      screen,
      cells.join(''),
      begun.filter(isExpected).length,
      playedExpected,
      played.length - playedExpected,
    ] as const;
  });
};

describe('readCompleteness', function () {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
  });
  after(() => system.close());

  it('returns the cells of the reference model for random facts', async () => {
    const seen = new Set<string>();
    let networks = 0;
    const compare = async (facts: Facts, nowMs: number) => {
      const { network } = facts;
      const wanted = { network, from: startMs, to: startMs + hours * hourMs, limit: 10 };
      const { screens, totals } = await readCompleteness(system.reader, registryOfNetwork(network), wanted, {
        nowMs,
        live: { coffee: 1, uptime: 1 },
      });
      const expected = model(facts, nowMs);
      expect(
        screens.map(({ screen_id, cells, expected_hours, played_hours, other_played_hours }) => [
          screen_id,
          cells,
          expected_hours,
          played_hours,
          other_played_hours,
        ]),
      ).to.deep.equal(expected);
      const letters = expected.map(([, cells]) => cells).join('');
      expect(Object.values(totals)).to.deep.equal(
        ['p', 's', 'o', 'b', 'c', 'e', '-'].map((letter) => letters.split(letter).length - 1),
      );
      for (const letter of letters) seen.add(letter);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(sampleArbitrary, { minLength: 1, maxLength: 25, size: 'max' }), async (samples) => {
        const facts = samples.map((sample) => factsOf(sample, ++networks));
        await writeFacts(system.writer, facts);
        for (const [index, sample] of samples.entries())
          await compare(facts[index]!, startMs + sample.nowMinute * minuteMs);
      }),
      { numRuns: process.env['POPSVC_LONG'] === '1' ? 100 : 4, seed: 5, endOnFailure: true },
    );
    expect([...seen].sort()).to.deep.equal(['-', 'b', 'c', 'e', 'o', 'p', 's']);
  });
});
