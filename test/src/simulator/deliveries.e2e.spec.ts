import { hash } from 'node:crypto';
import { Detection, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import { emptyRegistry, planRegistry } from '@popsvc/domain/registry';
import {
  averageVisitors,
  type Delivery,
  generateDeliveries,
  type TrafficOptions,
  createWorld,
} from '@popsvc/tools/simulator';
import { expect } from 'chai';

const toMs = Date.parse('2026-03-30T00:00:00Z');
const hourMs = 3_600_000;
const options: TrafficOptions = { seed: 7, tag: 's7', fromMs: toMs - 24 * hourMs, toMs };
const size = { networks: 2, devices: 12 };

const traffic = (given: Partial<TrafficOptions> = {}, of = size): Delivery[] =>
  createWorld(of).networks.flatMap((network) => [...generateDeliveries(network, { ...options, ...given })]);

const digest = (deliveries: readonly Delivery[]): string => hash('sha256', JSON.stringify(deliveries));

describe('generateDeliveries', () => {
  let day: Delivery[];
  before(() => {
    day = traffic();
  });
  const itemsOf = (intake: Delivery['intake']) =>
    day
      .filter((delivery) => delivery.intake === intake)
      .flatMap(({ items, hour }) => items.map((item) => ({ ...item, sentIn: hour })));
  const sentPlays = () => itemsOf('plays').map((item) => ({ ...item, event: item.event as PopEvent }));
  const sentHeartbeats = () => itemsOf('heartbeats').map(({ event }) => event as Heartbeat);
  const sentIntervals = () => itemsOf('intervals').map(({ event }) => event as Interval);
  const sentDetections = () => itemsOf('detections').map(({ event }) => event as Detection);

  it('is deterministic for a seed and differs between seeds', () => {
    expect(digest(traffic())).to.equal(digest(day));
    expect(digest(traffic({ seed: 8 }))).not.to.equal(digest(day));
  });

  it('contains only valid items, at most 500 in a request', () => {
    const issuesOf = (
      schema: typeof PopEvent | typeof Detection | typeof Heartbeat | typeof Interval,
      events: unknown[],
    ) => events.flatMap((event) => schema.safeParse(event).error?.issues ?? []);
    const plays = sentPlays().map(({ event }) => event);
    expect(issuesOf(PopEvent, plays)).to.deep.equal([]);
    expect(issuesOf(Detection, sentDetections())).to.deep.equal([]);
    expect(issuesOf(Heartbeat, sentHeartbeats())).to.deep.equal([]);
    expect(issuesOf(Interval, sentIntervals())).to.deep.equal([]);
    expect(day.filter(({ items }) => items.length < 1 || items.length > 500)).to.deep.equal([]);
  });

  it('uses a registry that can be applied', () => {
    const { registry } = createWorld(size);
    const { counts } = planRegistry(emptyRegistry(), registry, { nowMs: 0 });
    expect(counts.created).to.include({ networks: 2, devices: 12, vendors: 4 });
    expect(registry.networks.map(({ id }) => id)).to.deep.equal([100, 101]);
    expect(new Set(registry.sites.map(({ timezone }) => timezone)).size).to.be.greaterThan(1);
  });

  it('extends the registry of a smaller run', () => {
    const [small, large] = [createWorld(size).registry, createWorld({ networks: 3, devices: 60 }).registry];
    for (const kind of [
      'networks',
      'vendors',
      'sites',
      'locations',
      'devices',
      'feeders',
      'campaigns',
      'creatives',
    ] as const)
      expect(large[kind], kind).to.deep.include.members(small[kind]);
  });

  it('plays spots without overlap on each screen, within the window, each id once', () => {
    const plays = sentPlays()
      .filter(({ isDuplicate }) => !isDuplicate)
      .map(({ event }) => event);
    expect(new Set(plays.map(({ eventId }) => eventId)).size).to.equal(plays.length);
    const screens = new Set(plays.map(({ screenId }) => screenId));
    expect(screens.size).to.equal(12);
    for (const screen of screens) {
      const own = plays.filter(({ screenId }) => screenId === screen);
      const spans = own.map(
        ({ playedAt, durationMs }) => [Date.parse(playedAt), Date.parse(playedAt) + durationMs] as const,
      );
      spans.sort(([one], [other]) => one - other);
      expect(spans[0]![0]).to.be.at.least(options.fromMs);
      expect(spans.at(-1)![1]).to.be.at.most(toMs);
      expect(spans.every(([start], index) => index === 0 || start > spans[index - 1]![1])).to.equal(true);
      expect(own.length).to.be.within(1_000, 8_000);
    }
  });

  it('has watch intervals of 0.3 to 6 s within their detection, and concurrent watchers', () => {
    const detections = sentDetections();
    const looks = detections.flatMap(({ watches }) => watches);
    const lengths = looks.map(({ startedAt, endedAt }) => Date.parse(endedAt) - Date.parse(startedAt));
    expect(Math.min(...lengths)).to.be.within(300, 500);
    expect(Math.max(...lengths)).to.be.within(5_000, 6_000);
    const without = detections.filter(({ watches }) => watches.length === 0).length / detections.length;
    expect(without).to.be.within(0.3, 0.8);
    const [first] = detections;
    const own = detections.filter(({ deviceId }) => deviceId === first?.deviceId);
    const together = own.filter((one) =>
      own.some(({ startedAt }) => startedAt > one.startedAt && startedAt < one.endedAt),
    );
    expect(together.length / own.length).to.be.greaterThan(0.05);
  });

  it('has more watchers at peaks than at night', () => {
    const [device] = createWorld(size).networks[0]!.devices;
    const monday = Date.parse('2026-03-23T00:00:00Z');
    const [morning, small] = [
      averageVisitors(device!, monday + 8 * hourMs),
      averageVisitors(device!, monday + 3 * hourMs),
    ];
    expect(morning).to.be.greaterThan(4 * small);
  });

  it('sends some plays late, some twice in different requests, and all in random order', () => {
    const plays = sentPlays();
    const late = plays.filter(
      ({ isDuplicate, event, sentIn }) => !isDuplicate && sentIn > Date.parse(event.playedAt),
    ).length;
    expect(late / plays.length).to.be.within(0.03, 0.1);
    const twice = plays.filter(({ isDuplicate }) => isDuplicate);
    expect(twice.length / plays.length).to.be.within(0.01, 0.06);
    const first = new Map(plays.filter(({ isDuplicate }) => !isDuplicate).map((play) => [play.event.eventId, play]));
    for (const { event, sentIn } of twice) {
      expect(first.get(event.eventId)?.event).to.deep.equal(event);
      expect(first.get(event.eventId)?.sentIn).to.be.lessThan(sentIn);
    }
    const largest = day
      .filter(({ intake }) => intake === 'plays')
      .reduce((one, other) => (one.items.length > other.items.length ? one : other));
    const instants = largest.items.map(({ event }) => (event as PopEvent).playedAt);
    expect(instants).not.to.deep.equal(instants.toSorted());
  });

  it('sends a heartbeat a minute from each device and feeder, with occasional gaps', () => {
    const minutes = new Map<string, Set<number>>();
    for (const { deviceId, feederId, at } of sentHeartbeats()) {
      const who = `${deviceId ?? ''} ${feederId ?? ''}`;
      minutes.set(who, (minutes.get(who) ?? new Set()).add(Math.floor(Date.parse(at) / 60_000)));
    }
    const { devices, feeders } = createWorld(size).registry;
    expect(minutes.size).to.equal(devices.length + feeders.length);
    const ofDevices = [...minutes].filter(([who]) => who.endsWith(' ')).map(([, seen]) => seen.size);
    for (const count of ofDevices) expect(count).to.be.within(1_200, 1_440);
    expect(Math.min(...ofDevices)).to.be.lessThan(1_430);
  });

  it('reports that apps stop when their site closes, and sends the intervals of kiosks twice', () => {
    const states = sentHeartbeats().map(({ state }) => state);
    expect(new Set(states)).to.deep.equal(new Set(['running', 'stopped', undefined]));
    const versions = new Map<string, Interval[]>();
    for (const interval of sentIntervals()) {
      const key = `${interval.deviceId} ${interval.startedAt}`;
      versions.set(key, [...(versions.get(key) ?? []), interval]);
    }
    expect(versions.size).to.be.greaterThan(20);
    for (const sent of versions.values())
      expect(new Set(sent.map(({ endedAt }) => endedAt === null))).to.deep.equal(new Set([true, false]));
  });
});
