import { expect } from 'chai';
import { changed, registered, retired } from './given-registry.ts';
import { elsewhere, from, march, may, pier, quayside, screen, unknown, upstairs } from './places-of-harbour.ts';
import { device } from './registry-harbour.ts';

describe('the device of a screen', () => {
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

  it('is known for all times, although its device listed it later', () =>
    expect(screen('screen-3', changed('devices', { ...device, screen_ids: ['screen-3'] }, may))).to.deep.equal([
      from(0, quayside),
    ]));

  it('has, before it was listed, the place of its device at that time', () => {
    const moved = changed('devices', { ...device, location: 23 }, march);
    const listed = changed('devices', { ...device, location: 23, screen_ids: ['screen-3'] }, may);
    expect(screen('screen-3', elsewhere, upstairs, moved, listed)).to.deep.equal([
      from(0, quayside),
      from(march, pier),
    ]);
  });

  it('is the device that began to list it last, if two do', () => {
    const second = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: [] });
    const taken = changed('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, march);
    const given = changed('devices', { ...device, screen_ids: [] }, may);
    expect(screen('screen-1', second, taken, given)).to.deep.equal([
      from(0, quayside),
      from(march, { ...quayside, deviceId: 24 }),
    ]);
  });

  it('is the device registered first, if two always did', () =>
    expect(
      screen('screen-1', registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, may)),
    ).to.deep.equal([from(0, quayside)]));

  it('is the replacement from the retirement on, although the replacement was registered later', () => {
    const replacement = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-1'] }, may);
    expect(screen('screen-1', retired('devices', device, march), replacement)).to.deep.equal([
      from(0, quayside),
      from(march, { ...quayside, deviceId: 24 }),
    ]);
  });
});
