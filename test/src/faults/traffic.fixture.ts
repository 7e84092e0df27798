import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream, mappingStream } from '@popsvc/contracts/events';
import { flatFields } from '../projectors/dynamic-events/dynamic.fixture.ts';
import { createBulkJob } from '../ops-api/bulk-job.fixture.ts';
import { createRandom } from '@popsvc/tools/rig';
import type { Stage } from './stage.fixture.ts';
import {
  deviceOf,
  feederOf,
  flow,
  playedAtMs,
  pushedDetection,
  pushedPlay,
  screenId,
  screens,
} from './world.fixture.ts';

/** The acknowledged events. */
export interface Acknowledged {
  /** Ids of plays; some were sent twice. */
  readonly plays: ReadonlySet<string>;
  /** Number of play events, repeated ones included. */
  readonly playEvents: number;
  readonly dynamicEvents: number;
  readonly jobs: number;
  readonly appends: number;
}

export interface Traffic {
  readonly acknowledged: Acknowledged;
  /** Appends one more batch: plays, detections, heartbeats, plays in a vendor's own schema, a job, or a registry change. */
  step(): Promise<void>;
  /** Appends until it is stopped, with a pause after each step. */
  run(pauseMs: number): { stop(): Promise<void> };
}

type Step = readonly [weight: number, run: () => Promise<unknown>];

/** Appends what the command-api would append, in an order that depends on the seed only. */
export const createTraffic = (stage: Stage, seed: number): Traffic => {
  const { below, fraction, happens, pick } = createRandom(seed);
  const acknowledged = { plays: new Set<string>(), playEvents: 0, dynamicEvents: 0, jobs: 0, appends: 0 };
  let [play, dynamic, mapping] = [0, 0, 0];
  const stream = (kind: Parameters<typeof intakeStream>[0]) =>
    intakeStream(kind, flow.network, flow.vendor, Date.now());
  const append = async (to: string, type: string, data: readonly unknown[]) => {
    await stage.append(
      to,
      data.map((each) => ({ type, data: each })),
      flow,
    );
    acknowledged.appends += 1;
  };
  const iso = (ms: number) => new Date(ms).toISOString();
  const recent = () => Math.max(0, play - 1 - below(60));

  const plays = async () => {
    const events = Array.from({ length: 1 + below(12) }, () => {
      // Sometimes a vendor repeats a play, or sends another one under its id.
      if (play > 0 && happens(0.08)) return { ...pushedPlay(recent()), ...(happens(0.3) && { durationMs: 9_000 }) };
      play += 1;
      return pushedPlay(play);
    });
    await append(stream('pop'), 'PlaysRecorded', [{ plays: events }]);
    for (const { eventId } of events) acknowledged.plays.add(eventId);
    acknowledged.playEvents += events.length;
  };
  const people = () =>
    append(stream('detection'), 'DetectionsRecorded', [
      { detections: Array.from({ length: 1 + below(5) }, () => pushedDetection(recent(), below(3))) },
    ]);
  const signs = () => {
    const screen = below(screens);
    const at = iso(Date.now() - below(400) * 1_000);
    return append(stream('heartbeat'), 'HeartbeatsRecorded', [
      {
        heartbeats: [
          { deviceId: deviceOf(screen), at },
          { feederId: feederOf(screen), at: iso(playedAtMs(recent())) },
        ],
      },
    ]);
  };
  const interval = () => {
    const startedAt = playedAtMs(recent() - (recent() % 50));
    const reported = {
      deviceId: deviceOf(below(screens)),
      appCode: 'player',
      state: pick(['running', 'stopped']),
      startedAt: iso(startedAt),
      endedAt: happens(0.5) ? null : iso(startedAt + 1 + below(600_000)),
      lastHeartbeatAt: null,
      revision: below(3),
    };
    return append(stream('interval'), 'IntervalsRecorded', [{ intervals: [reported] }]);
  };
  const own = async () => {
    const events = Array.from({ length: 1 + below(6) }, () => {
      dynamic += 1;
      const start = iso(playedAtMs(play) + below(5_000)).slice(0, happens(0.5) ? 24 : 19);
      const field = pick(['seconds', 'length']);
      const id = happens(0.1) ? `d-${Math.max(1, dynamic - 5)}` : `d-${dynamic}`;
      return { id, screen: screenId(below(screens)), start, [field]: 10 };
    });
    await append(stream('dynamicPop'), 'DynamicPlaysRecorded', [{ schemaVersion: 'flat-1', items: events }]);
    acknowledged.dynamicEvents += events.length;
  };
  const map = () => {
    mapping += 1;
    const duration = { path: mapping % 2 === 0 ? 'length' : 'seconds', unit: 's' as const };
    const fields = { ...flatFields, duration };
    return append(mappingStream(flow.vendor), 'MappingRegistered', [
      { network: flow.network, version: mapping, mapping: { vendor: flow.vendor, schema_version: 'flat-1', fields } },
    ]);
  };
  const job = async () => {
    acknowledged.jobs += 1;
    const appendOne = (to: string, type: string, data: unknown) => stage.append(to, [{ type, data }], flow);
    const { queue, start, rows, complete } = createBulkJob(
      { append: appendOne },
      `job-${seed}-${acknowledged.jobs}`,
      flow,
    );
    await queue();
    await start(1);
    await rows(1, 100, 800, [], 0);
    await complete(1, 100);
  };
  /** Moves a screen to another location, from some plays ago or from now on. */
  const move = () => {
    const screen = below(screens);
    const device = { id: deviceOf(screen), name: 'Screen that moved', screen_ids: [screenId(screen)] };
    return stage.register({
      devices: [{ ...device, location: 20 + below(3), effective_from: iso(playedAtMs(recent())) }],
    });
  };

  const steps: readonly Step[] = [
    [40, plays],
    [20, people],
    [10, signs],
    [6, interval],
    [12, own],
    [2, map],
    [3, job],
    [2, move],
  ];
  const all = steps.reduce((sum, [weight]) => sum + weight, 0);
  const step = async () => {
    let at = fraction() * all;
    const [, run] = steps.find(([weight]) => (at -= weight) < 0) ?? steps[0]!;
    await run();
  };
  return {
    acknowledged,
    step,
    run(pauseMs) {
      const end = new AbortController();
      const running = (async () => {
        while (!end.signal.aborted) {
          await step();
          await sleep(pauseMs);
        }
      })();
      running.catch(() => undefined);
      return {
        async stop() {
          end.abort();
          await running;
        },
      };
    },
  };
};
