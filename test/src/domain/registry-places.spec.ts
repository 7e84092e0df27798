import { devicePlaces, screenPlaces } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { at, changed, history, registered, retired, type Told } from './given-registry.ts';
import { device, harbour, location, network, site } from './registry-harbour.ts';

const march = '2026-03-01T00:00:00.000Z';
const may = '2026-05-01T00:00:00.000Z';
const quayside = {
  known: true,
  deviceId: 4,
  locationId: 3,
  siteId: 2,
  siteTz: 'Europe/Lisbon',
  deviceTz: 'Europe/Lisbon',
  opens: [420],
  closes: [1_320],
};
const unknown = {
  known: false,
  deviceId: 0,
  locationId: 0,
  siteId: 0,
  siteTz: 'Europe/London',
  deviceTz: '',
  opens: [],
  closes: [],
};
const always = { opens: [0], closes: [10_080] };
const from = (instant: string | 0, place: object) => ({ ...place, validFromMs: instant === 0 ? 0 : at(instant) });

const screens = (...more: readonly Told[]) => screenPlaces(history([...harbour, ...more]), 1);
const screen = (id: string, ...more: readonly Told[]) => screens(...more).get(id);
const elsewhere = registered('sites', { id: 22, name: 'Pier', network: 1, timezone: 'Asia/Kathmandu' }, march);
const upstairs = registered('locations', { id: 23, name: 'Deck', site: 22 }, march);
const pier = {
  ...quayside,
  locationId: 23,
  siteId: 22,
  siteTz: 'Asia/Kathmandu',
  deviceTz: 'Asia/Kathmandu',
  ...always,
};

describe('where a screen stood', () => {
  it('holds for all times when nothing changed', () =>
    expect(screens()).to.deep.equal(
      new Map([
        ['', [from(0, unknown)]],
        ['screen-1', [from(0, quayside)]],
        ['screen-2', [from(0, quayside)]],
      ]),
    ));

  it('follows the device to another location from when the change was appended', () =>
    expect(screen('screen-1', elsewhere, upstairs, changed('devices', { ...device, location: 23 }, may))).to.deep.equal(
      [from(0, quayside), from(may, pier)],
    ));

  it('follows the device from when the change says it took effect', () => {
    const moved = changed('devices', { ...device, location: 23, effective_from: march }, may);
    expect(screen('screen-1', elsewhere, upstairs, moved)).to.deep.equal([from(0, quayside), from(march, pier)]);
  });

  it('follows the location to another site', () => {
    const moved = changed('locations', { ...location, site: 22 }, may);
    expect(screen('screen-1', elsewhere, moved)).to.deep.equal([
      from(0, quayside),
      from(may, { ...pier, locationId: 3 }),
    ]);
  });

  it("changes with the site's zone and hours", () => {
    const shut = changed('sites', { ...site, timezone: 'Europe/Madrid', business_hours: {} }, may);
    const then = { ...quayside, siteTz: 'Europe/Madrid', deviceTz: 'Europe/Madrid', opens: [], closes: [] };
    expect(screen('screen-1', shut)).to.deep.equal([from(0, quayside), from(may, then)]);
  });

  it("keeps the device's own zone", () => {
    const own = changed('devices', { ...device, timezone: 'Asia/Tokyo' }, may);
    expect(screen('screen-1', own)?.[1]).to.deep.equal(from(may, { ...quayside, deviceTz: 'Asia/Tokyo' }));
  });

  it('does not change with names', () =>
    expect(
      screen(
        'screen-1',
        changed('sites', { ...site, name: 'X' }, may),
        changed('devices', { ...device, name: 'Y' }, may),
      ),
    ).to.deep.equal([from(0, quayside)]));

  it('is unknown once no device lists it', () =>
    expect(screen('screen-2', changed('devices', { ...device, screen_ids: ['screen-1'] }, may))).to.deep.equal([
      from(0, quayside),
      from(may, unknown),
    ]));

  it('is unknown once its device is retired, and known when it is registered again', () =>
    expect(screen('screen-1', retired('devices', device, march), registered('devices', device, may))).to.deep.equal([
      from(0, quayside),
      from(march, unknown),
      from(may, quayside),
    ]));

  it('is as if always known, though its device came to list it later', () =>
    expect(screen('screen-3', changed('devices', { ...device, screen_ids: ['screen-3'] }, may))).to.deep.equal([
      from(0, quayside),
    ]));

  it('is, before it was listed, where its device stood then', () => {
    const moved = changed('devices', { ...device, location: 23 }, march);
    const listed = changed('devices', { ...device, location: 23, screen_ids: ['screen-3'] }, may);
    expect(screen('screen-3', elsewhere, upstairs, moved, listed)).to.deep.equal([
      from(0, quayside),
      from(march, pier),
    ]);
  });

  it('is with the device that began to list it last, when two do', () => {
    const second = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: [] });
    const taken = changed('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, march);
    const given = changed('devices', { ...device, screen_ids: [] }, may);
    expect(screen('screen-1', second, taken, given)).to.deep.equal([
      from(0, quayside),
      from(march, { ...quayside, deviceId: 24 }),
    ]);
  });

  it('is with the device registered first, when two always did', () =>
    expect(
      screen('screen-1', registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, may)),
    ).to.deep.equal([from(0, quayside)]));

  it('is with a replacement from the retirement on, though the replacement was first registered later', () => {
    const replacement = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, may);
    expect(screen('screen-1', retired('devices', device, march), replacement)).to.deep.equal([
      from(0, quayside),
      from(march, { ...quayside, deviceId: 24 }),
    ]);
  });

  it('stays known at a site, a location and in a network that are retired', () =>
    expect(
      screen(
        'screen-1',
        retired('sites', site, may),
        retired('locations', location, may),
        retired('networks', network, may),
      ),
    ).to.deep.equal([from(0, quayside)]));

  it('is the business of its own network', () =>
    expect(screenPlaces(history(harbour), 10)).to.deep.equal(
      new Map([['', [from(0, { ...unknown, siteTz: 'America/New_York' })]]]),
    ));

  it("goes by the network's zone while it is unknown", () => {
    const moved = changed('networks', { ...network, timezone: 'Europe/Paris' }, may);
    const unlisted = changed('devices', { ...device, screen_ids: ['screen-1'] }, march);
    const paris = { ...unknown, siteTz: 'Europe/Paris' };
    expect(screen('', moved, unlisted)).to.deep.equal([from(0, unknown), from(may, paris)]);
    expect(screen('screen-2', moved, unlisted)).to.deep.equal([
      from(0, quayside),
      from(march, unknown),
      from(may, paris),
    ]);
    expect(screen('screen-1', moved, unlisted)).to.deep.equal([from(0, quayside)]);
  });

  it('takes the later in the log of two changes from one instant', () =>
    expect(
      screen(
        'screen-1',
        changed('devices', { ...device, timezone: 'Asia/Tokyo', effective_from: march }, may),
        changed('devices', { ...device, timezone: 'Asia/Seoul', effective_from: march }, may),
      )?.[1],
    ).to.deep.equal(from(march, { ...quayside, deviceTz: 'Asia/Seoul' })));

  it('goes back to a change that begins later, when one from before comes after it in the log', () =>
    expect(
      screen(
        'screen-1',
        changed('devices', { ...device, timezone: 'Asia/Tokyo' }, may),
        changed('devices', { ...device, timezone: 'Asia/Seoul', effective_from: march }, may),
      ),
    ).to.deep.equal([
      from(0, quayside),
      from(march, { ...quayside, deviceTz: 'Asia/Seoul' }),
      from(may, { ...quayside, deviceTz: 'Asia/Tokyo' }),
    ]));
});

describe('where a device stood', () => {
  const places = (...more: readonly Told[]) => devicePlaces(history([...harbour, ...more]), 1);

  it('holds for all times, also after it is retired', () =>
    expect(places(retired('devices', device, may))).to.deep.equal(new Map([[4, [from(0, quayside)]]])));

  it('changes when it moves', () =>
    expect(places(elsewhere, upstairs, changed('devices', { ...device, location: 23 }, may)).get(4)).to.deep.equal([
      from(0, quayside),
      from(may, pier),
    ]));
});
