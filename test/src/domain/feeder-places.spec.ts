import { wasFeederOnline } from '../oracle/audience.ts';
import { emptyRegistry, feederPlaces, foldRegistry } from '@popsvc/domain/registry';
import { expect } from 'chai';

const dayMs = 86_400_000;
const on = (day: number) => new Date(day * dayMs).toISOString();

/** A network with two devices, and events of feeder 5, each a day after the previous one. */
const placesAfter = (...events: { type?: string; device: number; effective_from?: string }[]) => {
  const registry = emptyRegistry();
  const ground: [string, unknown][] = [
    ['NetworkRegistered', { id: 1, name: 'N', timezone: 'UTC' }],
    ['SiteRegistered', { id: 2, name: 'S', network: 1, timezone: 'UTC' }],
    ['LocationRegistered', { id: 3, name: 'L', site: 2 }],
    ...[4, 40].map((id): [string, unknown] => [
      'DeviceRegistered',
      { id, name: `D${id}`, location: 3, screen_ids: [] },
    ]),
    ...events.map(({ type = 'FeederChanged', ...more }): [string, unknown] => [type, { id: 5, name: 'F', ...more }]),
  ];
  for (const [index, [type, data]] of ground.entries())
    foldRegistry(registry, { type, data, atMs: (index + 1) * dayMs, position: index + 1 });
  const segments = feederPlaces(registry, 1).get(5) ?? [];
  return segments.map(({ validFromMs, deviceId }) => [validFromMs / dayMs, deviceId]);
};

describe('the device of a feeder at an instant', () => {
  it('is unknown for an unregistered feeder', () => {
    expect(placesAfter()).to.deep.equal([]);
  });

  it('is that of the first registration for all earlier times, for any effective_from', () => {
    expect(placesAfter({ device: 4, effective_from: on(90) })).to.deep.equal([[0, 4]]);
  });

  it('changes at effective_from, else when the event was appended', () => {
    expect(placesAfter({ device: 4 }, { device: 40, effective_from: on(2) })).to.deep.equal([
      [0, 4],
      [2, 40],
    ]);
    expect(placesAfter({ device: 4 }, { device: 40 })).to.deep.equal([
      [0, 4],
      [7, 40],
    ]);
  });

  it('follows the later event for one instant and keeps changes of later instants', () => {
    const later = { device: 40, effective_from: on(9) };
    expect(placesAfter({ device: 4 }, later, { device: 4, effective_from: on(9) })).to.deep.equal([[0, 4]]);
    expect(
      placesAfter({ device: 40 }, { device: 40, effective_from: on(9) }, { device: 4, effective_from: on(2) }),
    ).to.deep.equal([
      [0, 40],
      [2, 4],
      [9, 40],
    ]);
  });

  it('is none for a retired feeder until it is registered again', () => {
    const retired = { type: 'FeederRetired', device: 4, effective_from: on(2) };
    expect(placesAfter({ device: 4 }, retired, { device: 4, effective_from: on(3) })).to.deep.equal([
      [0, 4],
      [2, 0],
      [3, 4],
    ]);
  });
});

describe('whether a feeder was online during a play', () => {
  const play = { startMs: 1_000_000, durationMs: 10_000 };

  it('requires a heartbeat from 300 s before the start (included) to the end (excluded)', () => {
    const online = [699_999, 700_000, 1_000_000, 1_009_999, 1_010_000].map((atMs) => wasFeederOnline(play, [atMs]));
    expect(online).to.deep.equal([false, true, true, true, false]);
  });

  it('requires one of several heartbeats', () => {
    expect(wasFeederOnline(play, [])).to.equal(false);
    expect(wasFeederOnline(play, [1, 800_000, 2_000_000])).to.equal(true);
  });
});
