import { screenPlaces } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { changed, history, retired } from './given-registry.ts';
import {
  elsewhere,
  from,
  march,
  may,
  pier,
  quayside,
  screen,
  screens,
  unknown,
  upstairs,
} from './places-of-harbour.ts';
import { device, harbour, location, network, site } from './registry-harbour.ts';

describe('the place of a screen', () => {
  it('is the same for all times without changes', () =>
    expect(screens()).to.deep.equal(
      new Map([
        ['', [from(0, unknown)]],
        ['screen-1', [from(0, quayside)]],
        ['screen-2', [from(0, quayside)]],
      ]),
    ));

  it('follows the device to another location at the time of the event', () =>
    expect(screen('screen-1', elsewhere, upstairs, changed('devices', { ...device, location: 23 }, may))).to.deep.equal(
      [from(0, quayside), from(may, pier)],
    ));

  it('follows the device at effective_from', () => {
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

  it('stays known in a retired site, location and network', () =>
    expect(
      screen(
        'screen-1',
        retired('sites', site, may),
        retired('locations', location, may),
        retired('networks', network, may),
      ),
    ).to.deep.equal([from(0, quayside)]));

  it('is known only in its own network', () =>
    expect(screenPlaces(history(harbour), 10)).to.deep.equal(
      new Map([['', [from(0, { ...unknown, siteTz: 'America/New_York' })]]]),
    ));

  it("has the network's zone while it is unknown", () => {
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

  it('follows the later event of two changes at one instant', () =>
    expect(
      screen(
        'screen-1',
        changed('devices', { ...device, timezone: 'Asia/Tokyo', effective_from: march }, may),
        changed('devices', { ...device, timezone: 'Asia/Seoul', effective_from: march }, may),
      )?.[1],
    ).to.deep.equal(from(march, { ...quayside, deviceTz: 'Asia/Seoul' })));

  it('follows a change at a later instant, although an event for an earlier instant comes after it in the log', () =>
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
