import { defaultThresholds, Thresholds } from '@popsvc/contracts/metrics';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { spanMs } from '@popsvc/read-models/tables';
import type { Scenario, ScenarioEvent } from './audience-scenario.ts';

/*
 * Networks whose plays, detections and heartbeats lie at each border of the rules, and 1 ms before and after it. Random times rarely do, so
 * the differential test would accept SQL with `>` instead of `>=`.
 */

/** Begins at a border of a five-minute span, and at the opening time of `hours`. */
const baseMs = Date.parse('2026-06-01T09:00:00Z');
const hours = ['09:00-17:00'];
const closingMs = baseMs + 8 * 3_600_000;

/** Distances from a border, in ms. */
const around = [-1, 0, 1];

type Times = readonly [from: number, to: number];

/** Collects events. Plays have numbers of their own, as detections do. */
const createEvents = () => {
  const plays: ScenarioEvent[] = [];
  const others: ScenarioEvent[] = [];
  let detected = 0;
  return {
    others,
    addPlay: (startMs: number, durationMs: number): void => {
      plays.push({ kind: 'play', eventId: `p${plays.length + 1}`, startMs, durationMs });
    },
    addDetection: ([from, to]: Times, ...watches: readonly Times[]): void => {
      others.push({
        kind: 'detection',
        detectionId: `d${(detected += 1)}`,
        revision: 0,
        from,
        to,
        watches: watches.map(([watchFrom, watchTo]) => ({ from: watchFrom, to: watchTo })),
        population: 'VIEWER',
        gender: undefined,
        age: undefined,
      });
    },
    addHeartbeat: (feeder: 1 | 2, atMs: number): void => {
      others.push({ kind: 'beat', feeder, atMs });
    },
    inOrder: (): ScenarioEvent[] => [...plays, ...others],
  };
};

/** Detections at each threshold of presence and of watch time, and watch intervals at the borders of a play. */
const measurementsAtThresholds = (network: number, playMs: number, thresholds: Thresholds): Scenario => {
  const { min_presence_ms, merge_gap_ms, impression_ms, glance_ms, view_ms, view_through_slack_ms } = thresholds;
  const { addPlay, addDetection, inOrder } = createEvents();
  const endMs = baseMs + playMs;
  const addSeen = (startMs: number, presenceMs: number, watchMs: number) =>
    addDetection([startMs, startMs + presenceMs], [startMs, startMs + Math.max(0, watchMs)]);
  const shareMs = Math.ceil(thresholds.view_through_share * playMs);
  addPlay(baseMs, playMs);
  // As long as a view: longer plays have a view whenever enough of them is watched.
  const shortMs = baseMs + spanMs;
  addPlay(shortMs, view_ms + 1);
  for (const ms of around) {
    for (const presenceMs of [min_presence_ms, impression_ms]) addSeen(baseMs, Math.max(0, presenceMs + ms), 0);
    for (const watchMs of [1, glance_ms, view_ms])
      addSeen(baseMs, Math.max(min_presence_ms, watchMs + ms), watchMs + ms);
    addSeen(baseMs, playMs, shareMs + ms);
    addSeen(baseMs, playMs - view_through_slack_ms + ms, playMs - view_through_slack_ms + ms);
    addSeen(shortMs, view_ms + 1, view_ms + ms);
    const gapEndMs = baseMs + 200 + merge_gap_ms + ms;
    addDetection([baseMs, endMs], [baseMs + 100, baseMs + 200], [gapEndMs, gapEndMs + 100]);
    addDetection([baseMs - 1_000, endMs], [baseMs - 1_000, baseMs + ms]);
    addDetection([baseMs, endMs + 1_000], [endMs + ms, endMs + 1_000]);
  }
  return { network, zone: 'UTC', hours, thresholds, events: inOrder() };
};

const smallestThresholds = Thresholds.parse({
  min_presence_ms: 1,
  merge_gap_ms: 0,
  impression_ms: 0,
  glance_ms: 1,
  view_ms: 1,
  view_through_slack_ms: 0,
  view_through_share: 0.999,
});

/** Plays that meet detections, heartbeats, moves of feeders and business hours at a border, with at most one of them for each play. */
const playsAtBorders = (network: number): Scenario => {
  const { others, addPlay, addDetection, addHeartbeat, inOrder } = createEvents();
  const playMs = 10_000;
  let slots = 0;
  /** Adds a play that ends before the heartbeats of the next one count. */
  const addDistantPlay = (offsetMs = 0): Times => {
    const startMs = baseMs + 4 * spanMs * (slots += 1) + offsetMs;
    addPlay(startMs, playMs);
    return [startMs, startMs + playMs];
  };
  for (const ms of around) {
    const [, endMs] = addDistantPlay();
    addDetection([endMs + ms, endMs + 1_000]);
    const [startMs] = addDistantPlay();
    addDetection([startMs - 1_000, startMs + ms]);
    // The last millisecond of the play is the first one of a span.
    const [, nextSpanMs] = addDistantPlay(1 - playMs);
    addDetection([nextSpanMs - 1 + ms, nextSpanMs + 1_000]);
  }
  const [shortlyMs] = addDistantPlay();
  addDetection([shortlyMs, shortlyMs + 1]);
  // Away from borders of spans, which exclude heartbeats, too.
  for (const ms of around) {
    addHeartbeat(1, addDistantPlay(60_000)[0] - feederOnlineWindowMs + ms);
    addHeartbeat(1, addDistantPlay(60_000)[1] + ms);
  }
  addHeartbeat(1, addDistantPlay(1 - playMs)[1] - 1);
  // The second heartbeat affects only the plays of one millisecond.
  const [onlineMs] = addDistantPlay();
  for (const ms of [-1, 0]) addHeartbeat(1, onlineMs - feederOnlineWindowMs + ms);
  const [movedMs] = addDistantPlay();
  for (const ms of [-1, 1]) addPlay(movedMs + ms, playMs);
  others.push(
    { kind: 'move', feeder: 2, device: 2, fromMs: baseMs },
    { kind: 'move', feeder: 2, device: 1, fromMs: movedMs },
  );
  addHeartbeat(2, movedMs);
  for (const ms of [-1, 0]) for (const borderMs of [baseMs, closingMs]) addPlay(borderMs + ms, playMs);
  return { network, zone: 'UTC', hours, thresholds: smallestThresholds, events: inOrder() };
};

/** Networks with plays, detections and heartbeats at all borders; `from` is the id of the first network. */
export const thresholdScenarios = (from: number): Scenario[] => [
  // 75 % of 10 s is a whole number of ms.
  measurementsAtThresholds(from, 10_000, defaultThresholds),
  // 99.9 % of 9,999 ms is 0.001 ms more than a whole number.
  measurementsAtThresholds(from + 1, 9_999, smallestThresholds),
  playsAtBorders(from + 2),
];
