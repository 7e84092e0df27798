import type { Chance } from '../rig/chance.ts';
import type { ToldPlay } from './ledger.ts';
import type { Sending } from './sending.ts';
import { deviceOf, feederOf, type OwnSchema, screenId, type SoakNetwork } from './world.ts';

const playMs = 2_000;
const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

export interface Vendor {
  /** Something to tell now: plays mostly. */
  next(nowMs: number): Sending;
  /** Signs of life of every device, app and feeder. */
  beats(nowMs: number): Sending;
  /** Plays in a schema that nobody has mapped yet. */
  unmapped(nowMs: number): Sending;
  /** New plays in the vendor's own schema, as they are put into a file. */
  own(count: number, nowMs: number): { readonly events: readonly OwnEvent[]; readonly plays: readonly ToldPlay[] };
}

export interface OwnEvent {
  readonly id: string;
  readonly screen: string;
  readonly start: string;
  readonly seconds: number;
  readonly length: number;
}

/** What the player of a network tells, by chance that can be told again. */
export const vendorOf = (network: SoakNetwork, { below, next, one }: Chance): Vendor => {
  const { mark, screens } = network;
  let told = 0;
  /** By family: `k` is sent in requests that are stored once, `p` in others. */
  const recent: Record<'k' | 'p', ToldPlay[]> = { k: [], p: [] };
  const newId = (family: string) => `${mark}${family}-${(told += 1)}`;
  /** Most are played now; a few are told hours late. */
  const playedAt = (nowMs: number) => (next() < 0.03 ? nowMs - 2 * hourMs - below(40 * hourMs) : nowMs - below(5_000));
  const pushed = ({ id, playedAtMs }: ToldPlay, durationMs = playMs) => ({
    eventId: id,
    screenId: screenId(network, Number(id.split('-')[1]) % screens),
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: iso(playedAtMs),
    durationMs,
  });

  const plays = (nowMs: number, count: number): Sending => {
    const family = one(['k', 'p'] as const);
    const events: unknown[] = [];
    const all: ToldPlay[] = [];
    for (let index = 0; index < count; index += 1) {
      const again = recent[family].length > 0 && next() < 0.06;
      const play = again ? one(recent[family]) : { id: newId(family), playedAtMs: playedAt(nowMs) };
      // Told again it is the same; or another one under its id, of which the first stays.
      events.push(again && next() < 0.3 ? pushed(play, playMs + 100) : pushed(play));
      all.push(play);
      if (!again) recent[family] = [...recent[family].slice(-60), play];
    }
    return {
      kind: count === 1 ? 'play' : 'plays',
      network,
      path: '/pop/events',
      body: { events },
      plays: all,
      isPacked: count > 10 && next() < 0.3,
      ...(family === 'k' && { idempotencyKey: `${mark}-${newId('key')}` }),
    };
  };
  const own: Vendor['own'] = (count, nowMs) => {
    const all = Array.from({ length: count }, () => ({ id: newId('d'), playedAtMs: playedAt(nowMs) }));
    const events = all.map(({ id, playedAtMs }) => ({
      id,
      screen: screenId(network, below(screens)),
      start: iso(playedAtMs),
      seconds: 2,
      length: 2,
    }));
    return { events, plays: all };
  };
  const dynamic = (nowMs: number, schemaVersion: OwnSchema): Sending => {
    const { events, plays: all } = own(1 + below(15), nowMs);
    return { kind: 'dynamic', network, path: '/pop/dynamic', body: { schemaVersion, events }, plays: all };
  };
  const people = (nowMs: number): Sending => {
    const detections = Array.from({ length: 1 + below(6) }, () => {
      const screen = below(screens);
      // The same person again, who has stayed longer: rows of plays become more by it, never fewer.
      const [number, revision] = [below(200) + Math.floor(nowMs / 10_000) * 200, below(3)];
      const from = Math.floor(nowMs / 10_000) * 10_000 - 6_000;
      return {
        detectionId: `${mark}-seen-${number}-${screen}`,
        revision,
        deviceId: deviceOf(network, screen),
        feederId: feederOf(network, screen),
        watcherId: number * 1_000 + screen,
        startedAt: iso(from),
        endedAt: iso(from + 3_000 + revision * 1_000),
        distance: [2.5],
        watches: [{ startedAt: iso(from + 500), endedAt: iso(from + 2_500) }],
        population: 'VIEWER',
      };
    });
    return { kind: 'detections', network, path: '/audience/detections', body: { detections }, plays: [] };
  };
  const interval = (nowMs: number): Sending => {
    const from = Math.floor(nowMs / hourMs) * hourMs;
    const intervals = [
      {
        deviceId: deviceOf(network, below(screens)),
        appCode: 'player',
        state: one(['running', 'stopped']),
        startedAt: iso(from),
        endedAt: next() < 0.5 ? null : iso(nowMs),
        lastHeartbeatAt: iso(nowMs),
      },
    ];
    return { kind: 'interval', network, path: '/intervals', body: { intervals }, plays: [] };
  };
  /** One of them has no screen, so none may be stored. */
  const broken = (nowMs: number): Sending => {
    const all = Array.from({ length: 3 }, () => ({ id: newId('x'), playedAtMs: nowMs }));
    const [first, ...rest] = all.map((play) => pushed(play));
    const events = [...rest, { ...first, screenId: '' }];
    return { kind: 'broken', network, path: '/pop/events', body: { events }, plays: all, wanted: 400 };
  };

  const steps: readonly (readonly [weight: number, tell: (nowMs: number) => Sending])[] = [
    [30, (nowMs) => plays(nowMs, 1)],
    [35, (nowMs) => plays(nowMs, 2 + below(28))],
    [15, (nowMs) => dynamic(nowMs, 'soak-1')],
    [20, people],
    [4, interval],
    [2, broken],
  ];
  const all = steps.reduce((sum, [weight]) => sum + weight, 0);
  return {
    own,
    next(nowMs) {
      let at = next() * all;
      const [, tell] = steps.find(([weight]) => (at -= weight) < 0) ?? steps[0]!;
      return tell(nowMs);
    },
    unmapped: (nowMs) => ({ ...dynamic(nowMs, 'soak-2'), later: true }),
    beats(nowMs) {
      const at = iso(nowMs);
      const heartbeats = Array.from({ length: screens }, (_, screen) => [
        { deviceId: deviceOf(network, screen), appCode: 'player', state: 'running', at },
        { feederId: feederOf(network, screen), at },
      ]).flat();
      return { kind: 'heartbeats', network, path: '/heartbeats', body: { heartbeats }, plays: [] };
    },
  };
};
