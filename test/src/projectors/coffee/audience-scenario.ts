import { defaultThresholds, Thresholds } from '@popsvc/contracts/metrics';
import fc from 'fast-check';
import { heartbeatEvent, type FeederEvent, moveEvent } from './feeder-scenario.ts';

/** A network of its own: one screen, plays on it, detections before it and feeders on two devices, in some order. */
export interface Scenario {
  readonly network: number;
  readonly zone: string;
  readonly hours: string[] | undefined;
  readonly thresholds: Thresholds;
  readonly events: readonly ScenarioEvent[];
}

export type ScenarioEvent =
  | FeederEvent
  | { readonly kind: 'play'; readonly eventId: string; readonly startMs: number; readonly durationMs: number }
  | {
      readonly kind: 'detection';
      readonly detectionId: string;
      readonly revision: number;
      readonly from: number;
      readonly to: number;
      readonly watches: readonly { from: number; to: number }[];
      readonly population: 'VIEWER' | 'FOOTFALL' | 'VEHICLE';
      readonly gender: string | undefined;
      readonly age: string | undefined;
    };

/**
 * Zones whose rules have not changed for years. Node.js and ClickHouse may have different versions of the time zone data, so local
 * times in other zones may differ between them.
 */
const zones = [
  'Europe/London',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/St_Johns',
  'Pacific/Chatham',
  'Antarctica/Troll',
  'UTC',
];
/** Instants near which clocks change somewhere, the London autumn night among them. */
const nights = [
  '2026-10-25T00:55:00Z',
  '2026-03-29T00:58:00Z',
  '2026-11-01T05:57:00Z',
  '2026-04-04T14:58:00Z',
  '2026-12-31T23:58:30Z',
];

const thresholds = fc
  .record({
    min_presence_ms: fc.integer({ min: 1, max: 2_000 }),
    merge_gap_ms: fc.integer({ min: 0, max: 800 }),
    impression_ms: fc.integer({ min: 0, max: 4_000 }),
    glance_ms: fc.integer({ min: 1, max: 1_500 }),
    more: fc.integer({ min: 0, max: 4_000 }),
    view_through_slack_ms: fc.integer({ min: 0, max: 12_000 }),
    permille: fc.integer({ min: 0, max: 1_000 }),
  })
  .map(({ more, permille, ...rest }) =>
    Thresholds.parse({ ...rest, view_ms: rest.glance_ms + more, view_through_share: permille / 1_000 }),
  );

const play = (baseMs: number) =>
  fc.record({
    kind: fc.constant('play' as const),
    eventId: fc.constantFrom('p1', 'p2', 'p3', 'p4'),
    startMs: fc.integer({ min: 0, max: 60_000 }).map((offset) => baseMs + offset),
    durationMs: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 900_000 })),
  });

const detection = (baseMs: number) =>
  fc
    .record({
      kind: fc.constant('detection' as const),
      detectionId: fc.constantFrom('d1', 'd2', 'd3', 'd4', 'd5'),
      revision: fc.integer({ min: 0, max: 2 }),
      start: fc.integer({ min: -20_000, max: 70_000 }),
      length: fc.oneof(fc.integer({ min: 0, max: 15_000 }), fc.integer({ min: 0, max: 700_000 })),
      looks: fc.array(fc.tuple(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 300 })), { maxLength: 6 }),
      population: fc.constantFrom('VIEWER' as const, 'FOOTFALL' as const, 'VEHICLE' as const),
      gender: fc.constantFrom('female', 'M', 'robot', undefined),
      age: fc.constantFrom('7', '34', '35', '80', 'old', undefined),
    })
    .map(({ start, length, looks, ...rest }) => {
      const [from, to] = [baseMs + start, baseMs + start + length];
      const watches = looks.map(([at, share]) => {
        const lookFrom = from + Math.floor((length * at) / 1_000);
        return { from: lookFrom, to: Math.min(to, lookFrom + Math.floor((length * share) / 1_000)) };
      });
      return { ...rest, from, to, watches };
    });

/** With detections, or without any: then the plays differ by feeders only. */
const scenarioEvents = (baseMs: number, detections: number): fc.Arbitrary<ScenarioEvent[]> =>
  fc.array(
    fc.oneof(
      { weight: 8, arbitrary: play(baseMs) },
      { weight: detections, arbitrary: detection(baseMs) },
      { weight: 6, arbitrary: heartbeatEvent(baseMs) },
      { weight: 2, arbitrary: moveEvent(baseMs) },
    ),
    { maxLength: 18 },
  );

export const scenario = (network: number): fc.Arbitrary<Scenario> =>
  fc.constantFrom(...nights).chain((night) => {
    const baseMs = Date.parse(night);
    return fc.record({
      network: fc.constant(network),
      zone: fc.constantFrom(...zones),
      hours: fc.constantFrom(undefined, [], ['00:30-01:15', '22:00-00:10']),
      thresholds: fc.oneof(fc.constant(defaultThresholds), thresholds),
      events: fc.oneof(
        { weight: 3, arbitrary: scenarioEvents(baseMs, 8) },
        { weight: 1, arbitrary: scenarioEvents(baseMs, 0) },
      ),
    });
  });
