import type { Random } from '../rig/random.ts';
import type { SentPlay } from './ledger.ts';
import type { VendorRequest } from './deliver.ts';
import { deviceOf, feederOf, type VendorSchema, screenId, type SoakNetwork } from './networks.ts';

const playMs = 2_000;
const hourMs = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

export interface Vendor {
  /** Creates a random request, in most cases with plays. */
  createRequest(nowMs: number): VendorRequest;
  /** Creates a request with one heartbeat from each feeder and one from the player app on each device. */
  createHeartbeats(nowMs: number): VendorRequest;
  /** Creates a request with plays in a schema that has no mapping yet. */
  createUnmapped(nowMs: number): VendorRequest;
  /** Creates plays for a bulk file, in the vendor's own schema. */
  createOwnEvents(
    count: number,
    nowMs: number,
  ): { readonly events: readonly OwnEvent[]; readonly plays: readonly SentPlay[] };
}

/** A play in the vendor's schema. `seconds` and `length` both contain the duration in seconds. */
export interface OwnEvent {
  readonly id: string;
  readonly screen: string;
  readonly start: string;
  readonly seconds: number;
  readonly length: number;
}

/** Creates a vendor that generates random requests for its network. The requests depend only on the random seed and the given times. */
export const createVendor = (network: SoakNetwork, { below, fraction, happens, pick }: Random): Vendor => {
  const { mark, screens } = network;
  let serial = 0;
  /** Recently sent plays: `k` from requests with an idempotency key, `p` from requests without one. */
  const recent: Record<'k' | 'p', SentPlay[]> = { k: [], p: [] };
  const newId = (family: string) => `${mark}${family}-${(serial += 1)}`;
  /** Chooses the start of a play: 3 % are sent 2 to 42 hours late, the others within 5 s. */
  const playedAt = (nowMs: number) => (happens(0.03) ? nowMs - 2 * hourMs - below(40 * hourMs) : nowMs - below(5_000));
  const popEvent = ({ id, playedAtMs }: SentPlay, durationMs = playMs) => ({
    eventId: id,
    screenId: screenId(network, Number(id.split('-')[1]) % screens),
    campaignId: 'C-100',
    creativeId: 'CR-1',
    playedAt: iso(playedAtMs),
    durationMs,
  });

  const plays = (nowMs: number, count: number): VendorRequest => {
    const family = pick(['k', 'p'] as const);
    const events: unknown[] = [];
    const all: SentPlay[] = [];
    for (let index = 0; index < count; index += 1) {
      const isRepeated = recent[family].length > 0 && happens(0.06);
      const play = isRepeated ? pick(recent[family]) : { id: newId(family), playedAtMs: playedAt(nowMs) };
      // A repeated play is identical to the original or, in 30 % of cases, has a different duration. In both cases the service
      // keeps the original.
      events.push(isRepeated && happens(0.3) ? popEvent(play, playMs + 100) : popEvent(play));
      all.push(play);
      if (!isRepeated) recent[family] = [...recent[family].slice(-60), play];
    }
    return {
      kind: count === 1 ? 'play' : 'plays',
      network,
      path: '/pop/events',
      body: { events },
      plays: all,
      isCompressed: count > 10 && happens(0.3),
      ...(family === 'k' && { idempotencyKey: `${mark}-${newId('key')}` }),
    };
  };
  const createOwnEvents: Vendor['createOwnEvents'] = (count, nowMs) => {
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
  const dynamic = (nowMs: number, schemaVersion: VendorSchema): VendorRequest => {
    const { events, plays: all } = createOwnEvents(1 + below(15), nowMs);
    return { kind: 'dynamic', network, path: '/pop/dynamic', body: { schemaVersion, events }, plays: all };
  };
  const people = (nowMs: number): VendorRequest => {
    const detections = Array.from({ length: 1 + below(6) }, () => {
      const screen = below(screens);
      // A higher revision only lengthens the detection. The number of report rows therefore never decreases, as the readers
      // expect.
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
  const interval = (nowMs: number): VendorRequest => {
    const from = Math.floor(nowMs / hourMs) * hourMs;
    const intervals = [
      {
        deviceId: deviceOf(network, below(screens)),
        appCode: 'player',
        state: pick(['running', 'stopped']),
        startedAt: iso(from),
        endedAt: happens(0.5) ? null : iso(nowMs),
        lastHeartbeatAt: iso(nowMs),
      },
    ];
    return { kind: 'interval', network, path: '/intervals', body: { intervals }, plays: [] };
  };
  /**
   * Creates a request that contains a play without a screen. The service must reject the request and must not store any of its
   * plays.
   */
  const broken = (nowMs: number): VendorRequest => {
    const all = Array.from({ length: 3 }, () => ({ id: newId('x'), playedAtMs: nowMs }));
    const [first, ...rest] = all.map((play) => popEvent(play));
    const events = [...rest, { ...first, screenId: '' }];
    return { kind: 'broken', network, path: '/pop/events', body: { events }, plays: all, expected: 400 };
  };

  const steps: readonly (readonly [weight: number, create: (nowMs: number) => VendorRequest])[] = [
    [30, (nowMs) => plays(nowMs, 1)],
    [35, (nowMs) => plays(nowMs, 2 + below(28))],
    [15, (nowMs) => dynamic(nowMs, 'soak-1')],
    [20, people],
    [4, interval],
    [2, broken],
  ];
  const totalWeight = steps.reduce((sum, [weight]) => sum + weight, 0);
  return {
    createOwnEvents,
    createRequest(nowMs) {
      let at = fraction() * totalWeight;
      const [, create] = steps.find(([weight]) => (at -= weight) < 0) ?? steps[0]!;
      return create(nowMs);
    },
    createUnmapped: (nowMs) => ({ ...dynamic(nowMs, 'soak-2'), isDeferred: true }),
    createHeartbeats(nowMs) {
      const at = iso(nowMs);
      const heartbeats = Array.from({ length: screens }, (_, screen) => [
        { deviceId: deviceOf(network, screen), appCode: 'player', state: 'running', at },
        { feederId: feederOf(network, screen), at },
      ]).flat();
      return { kind: 'heartbeats', network, path: '/heartbeats', body: { heartbeats }, plays: [] };
    },
  };
};
