import { setTimeout as sleep } from 'node:timers/promises';
import { intakeStream, mappingStream } from '@popsvc/contracts/events';
import { flatFields } from '../projectors/dynamic-events/dynamic.fixture.ts';
import { createBulkJob } from '../ops-api/bulk-job.fixture.ts';
import { chance } from '@popsvc/tools/rig';
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

/** What was acknowledged. */
export interface Acknowledged {
  /** Ids of plays; some were told twice. */
  readonly plays: ReadonlySet<string>;
  /** Events of plays, each time they were told. */
  readonly playEvents: number;
  readonly dynamicEvents: number;
  readonly jobs: number;
  readonly appends: number;
}

export interface Traffic {
  readonly acknowledged: Acknowledged;
  /** Tells one thing more: plays, people, signs of life, plays in a vendor's own schema, jobs, or a change of the registry. */
  step(): Promise<void>;
  /** Steps until it is stopped, with so long a pause between two. */
  run(pauseMs: number): { stop(): Promise<void> };
}

type Step = readonly [weight: number, tell: () => Promise<unknown>];

/** The part of the command-api: seeded, so that the same is told in the same order. */
export const trafficOf = (stage: Stage, seed: number): Traffic => {
  const { below, next, one } = chance(seed);
  const told = { plays: new Set<string>(), playEvents: 0, dynamicEvents: 0, jobs: 0, appends: 0 };
  let [play, dynamic, mapping] = [0, 0, 0];
  const stream = (kind: Parameters<typeof intakeStream>[0]) =>
    intakeStream(kind, flow.network, flow.vendor, Date.now());
  const append = async (to: string, type: string, data: readonly unknown[]) => {
    await stage.append(
      to,
      data.map((each) => ({ type, data: each })),
      flow,
    );
    told.appends += 1;
  };
  const iso = (ms: number) => new Date(ms).toISOString();
  const recent = () => Math.max(0, play - 1 - below(60));

  const plays = async () => {
    const events = Array.from({ length: 1 + below(12) }, () => {
      // Now and then a vendor sends one again, or another one under its id.
      if (play > 0 && next() < 0.08) return { ...pushedPlay(recent()), ...(next() < 0.3 && { durationMs: 9_000 }) };
      play += 1;
      return pushedPlay(play);
    });
    await append(stream('pop'), 'PopRecorded', events);
    for (const { eventId } of events) told.plays.add(eventId);
    told.playEvents += events.length;
  };
  const people = () =>
    append(
      stream('detection'),
      'DetectionRecorded',
      Array.from({ length: 1 + below(5) }, () => pushedDetection(recent(), below(3))),
    );
  const signs = () => {
    const screen = below(screens);
    const at = iso(Date.now() - below(400) * 1_000);
    return append(stream('heartbeat'), 'HeartbeatRecorded', [
      { deviceId: deviceOf(screen), at },
      { feederId: feederOf(screen), at: iso(playedAtMs(recent())) },
    ]);
  };
  const interval = () => {
    const startedAt = playedAtMs(recent() - (recent() % 50));
    return append(stream('interval'), 'IntervalRecorded', [
      {
        deviceId: deviceOf(below(screens)),
        appCode: 'player',
        state: one(['running', 'stopped']),
        startedAt: iso(startedAt),
        endedAt: next() < 0.5 ? null : iso(startedAt + 1 + below(600_000)),
        lastHeartbeatAt: null,
        revision: below(3),
      },
    ]);
  };
  const own = async () => {
    const events = Array.from({ length: 1 + below(6) }, () => {
      dynamic += 1;
      const start = iso(playedAtMs(play) + below(5_000)).slice(0, next() < 0.5 ? 24 : 19);
      const field = one(['seconds', 'length']);
      const id = next() < 0.1 ? `d-${Math.max(1, dynamic - 5)}` : `d-${dynamic}`;
      return { schemaVersion: 'flat-1', event: { id, screen: screenId(below(screens)), start, [field]: 10 } };
    });
    await append(stream('dynamicPop'), 'DynamicPopRecorded', events);
    told.dynamicEvents += events.length;
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
    told.jobs += 1;
    const tell = (to: string, type: string, data: unknown) => stage.append(to, [{ type, data }], flow);
    const { queue, start, rows, complete } = createBulkJob({ append: tell }, `job-${seed}-${told.jobs}`, flow);
    await queue();
    await start(1);
    await rows(1, 100, 800, [], 0);
    await complete(1, 100);
  };
  /** A screen moves to another floor, as of some plays ago or from now on. */
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
    let at = next() * all;
    const [, tell] = steps.find(([weight]) => (at -= weight) < 0) ?? steps[0]!;
    await tell();
  };
  return {
    acknowledged: told,
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
