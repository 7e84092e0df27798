import type { Detection, Heartbeat, PopEvent } from '@popsvc/contracts/commands';
import {
  createLiveTraffic,
  createWorld,
  findDarkPeriod,
  generateRows,
  type SimulatedNetwork,
} from '@popsvc/tools/simulator';
import { expect } from 'chai';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A Wednesday, when all sites in London are open. */
const fromMs = Date.parse('2026-03-18T16:00:00Z');
const toMs = fromMs + 3 * hourMs;
const seed = 5;

const [network] = createWorld({ networks: 1, devices: 8 }).networks as [SimulatedNetwork];
const options = { seed, tag: 'live', silent: undefined };

type Taken = ReturnType<ReturnType<typeof createLiveTraffic>['take']>;
const eventsOf = <Event>(taken: Taken, intake: string): Event[] =>
  taken
    .filter((delivery) => delivery.intake === intake)
    .flatMap(({ items }) => items.map(({ event }) => event as Event));
const keysOf = (taken: Taken) =>
  taken.flatMap(({ vendor, items }) => items.map(({ event }) => JSON.stringify([vendor, event]))).toSorted();

describe('live traffic', () => {
  const all = createLiveTraffic(network, options).take(fromMs, toMs);

  it('is the same whether it is taken at once or in pieces', () => {
    const traffic = createLiveTraffic(network, options);
    const pieces: Taken[] = [];
    for (let at = fromMs; at < toMs; at += 7 * minuteMs)
      pieces.push(traffic.take(at, Math.min(at + 7 * minuteMs, toMs)));
    expect(keysOf(pieces.flat())).to.deep.equal(keysOf(all));
    expect(keysOf(all).length).to.be.greaterThan(3_000);
  });

  it('contains only what has happened', () => {
    for (const { playedAt, durationMs } of eventsOf<PopEvent>(all, 'plays'))
      expect(Date.parse(playedAt) + durationMs).to.be.at.most(toMs);
    for (const { endedAt } of eventsOf<Detection>(all, 'detections')) expect(Date.parse(endedAt)).to.be.at.most(toMs);
    for (const { at } of eventsOf<Heartbeat>(all, 'heartbeats')) expect(Date.parse(at)).to.be.within(fromMs, toMs);
  });

  it('has dark devices, which send no heartbeats, and their plays when they are back', () => {
    const beats = eventsOf<Heartbeat>(all, 'heartbeats');
    const traffic = createLiveTraffic(network, options);
    let darkMinutes = 0;
    for (const device of network.devices)
      for (let at = fromMs; at < toMs; at += minuteMs) {
        const period = findDarkPeriod(network, device, seed, at);
        if (!period || period.toMs > toMs) continue;
        darkMinutes += 1;
        const isWithin = (text: string) => Date.parse(text) >= period.fromMs && Date.parse(text) < period.toMs;
        expect(beats.some((beat) => beat.deviceId === device.id && isWithin(beat.at))).to.equal(false);
        const during = traffic.take(period.fromMs, period.toMs - 1);
        const after = traffic.take(period.toMs - 1, period.toMs);
        const isOwn = ({ screenId }: PopEvent) => device.screens.includes(screenId);
        expect(eventsOf<PopEvent>(during, 'plays').filter(isOwn)).to.deep.equal([]);
        expect(eventsOf<PopEvent>(after, 'plays').filter(isOwn).length).to.be.greaterThan(5);
        at = period.toMs;
      }
    expect(darkMinutes).to.be.greaterThan(10);
    const first = network.devices.filter(({ site }) => site === network.devices[0]!.site);
    const atSite = fromMs + 50 * minuteMs;
    expect(first.length).to.be.greaterThan(1);
    expect(first.every((device) => findDarkPeriod(network, device, seed, atSite))).to.equal(true);
  });

  it('names unknown creatives and campaigns, and delays plays', () => {
    const plays = eventsOf<PopEvent>(all, 'plays');
    const creatives = new Set(network.campaigns.spots.map(({ creativeId }) => creativeId));
    const campaigns = new Set(network.campaigns.spots.map(({ campaignId }) => campaignId));
    const unknown = plays.filter((play) => !creatives.has(play.creativeId) || !campaigns.has(play.campaignId));
    expect(unknown.length / plays.length).to.be.within(0.004, 0.03);
    const lastMinutes = createLiveTraffic(network, options).take(toMs - 3 * minuteMs, toMs);
    const late = eventsOf<PopEvent>(lastMinutes, 'plays').filter(
      ({ playedAt }) => Date.parse(playedAt) < toMs - 8 * minuteMs,
    );
    expect(late).to.not.deep.equal([]);
  });

  it('has a vendor that stops', () => {
    const vendor = network.devices[0]!.vendor;
    const silentFromMs = fromMs + hourMs;
    const traffic = createLiveTraffic(network, { ...options, silent: { vendor, fromMs: silentFromMs } });
    const before = traffic.take(fromMs, silentFromMs - 1);
    expect(keysOf(before)).to.deep.equal(keysOf(createLiveTraffic(network, options).take(fromMs, silentFromMs - 1)));
    expect(traffic.take(silentFromMs, toMs).filter((delivery) => delivery.vendor === vendor)).to.deep.equal([]);
  });

  it('has rows of which one a minute has no valid time', () => {
    const rows = generateRows(network, 'live', fromMs, fromMs + 2 * minuteMs) as { id: string; start: string }[];
    expect(rows).to.have.lengthOf(10);
    expect(rows.filter(({ start }) => Number.isNaN(Date.parse(start)))).to.have.lengthOf(2);
    expect(new Set(rows.map(({ id }) => id)).size).to.equal(10);
    expect(generateRows(network, 'live', fromMs + 1, fromMs + minuteMs - 1)).to.deep.equal([]);
  });
});
