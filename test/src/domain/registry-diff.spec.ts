import { diffSegments, screenPlaces } from '@popsvc/domain/registry';
import { expect } from 'chai';
import { at, changed, history, registered, type EntityEvent } from './given-registry.ts';
import { device, harbour, network } from './registry-harbour.ts';

const mayMs = at('2026-05-01T00:00:00.000Z');
const julyMs = at('2026-07-01T00:00:00.000Z');
const may = '2026-05-01T00:00:00.000Z';
const july = '2026-07-01T00:00:00.000Z';

const diff = (before: readonly EntityEvent[], after: readonly EntityEvent[]) =>
  diffSegments(
    screenPlaces(history([...harbour, ...before]), 1),
    screenPlaces(history([...harbour, ...before, ...after]), 1),
  );

const tokyo = changed('devices', { ...device, timezone: 'Asia/Tokyo', screen_ids: ['screen-1'] }, may);

describe('the places affected by a registry change', () => {
  it('are none if only a name changed', () =>
    expect(diff([], [changed('devices', { ...device, name: 'Y' }, may)])).to.deep.equal({
      changed: [],
      write: [],
      remove: [],
    }));

  it('are the screens of a changed device, from then on', () => {
    const { changed: ranges, write, remove } = diff([], [tokyo]);
    expect(ranges).to.deep.equal([
      { key: 'screen-1', fromMs: mayMs, toMs: Infinity },
      { key: 'screen-2', fromMs: mayMs, toMs: Infinity },
    ]);
    expect(write.map(({ key, segment }) => [key, segment.validFromMs, segment.known])).to.deep.equal([
      ['screen-1', mayMs, true],
      ['screen-2', mayMs, false],
    ]);
    expect(remove).to.deep.equal([]);
  });

  it('end where the earlier value is in force again', () =>
    expect(
      diff(
        [changed('devices', { ...device, timezone: 'Asia/Tokyo' }, july)],
        [changed('devices', { ...device, timezone: 'Asia/Seoul', effective_from: may }, july)],
      ).changed,
    ).to.deep.equal([
      { key: 'screen-1', fromMs: mayMs, toMs: julyMs },
      { key: 'screen-2', fromMs: mayMs, toMs: julyMs },
    ]));

  it('are all times of a screen that becomes known', () => {
    const second = registered('devices', { id: 24, name: 'Second', location: 3, screen_ids: ['screen-9'] }, may);
    const { changed: ranges, write } = diff([], [second]);
    expect(ranges).to.deep.equal([{ key: 'screen-9', fromMs: 0, toMs: Infinity }]);
    expect(write.map(({ key }) => key)).to.deep.equal(['screen-9']);
  });

  it('are the unknown screens if the zone of the network changes, and no known one', () =>
    expect(diff([], [changed('networks', { ...network, timezone: 'Asia/Tokyo' }, may)]).changed).to.deep.equal([
      { key: '', fromMs: mayMs, toMs: Infinity },
    ]));

  it('are all of a network that becomes known', () =>
    expect(
      diffSegments(new Map<string, { validFromMs: number }[]>(), new Map([['', [{ validFromMs: 0 }]]])),
    ).to.deep.equal({
      changed: [{ key: '', fromMs: 0, toMs: Infinity }],
      write: [{ key: '', segment: { validFromMs: 0 } }],
      remove: [],
    }));

  it('are one span, although its values change within it', () => {
    const seoul = changed('devices', { ...device, timezone: 'Asia/Seoul', effective_from: may }, july);
    const tokyoToo = changed('devices', { ...device, timezone: 'Asia/Tokyo', effective_from: july }, july);
    expect(diff([], [seoul, tokyoToo]).changed).to.deep.equal([
      { key: 'screen-1', fromMs: mayMs, toMs: Infinity },
      { key: 'screen-2', fromMs: mayMs, toMs: Infinity },
    ]);
  });

  it('include segments to remove', () => {
    const back = changed('devices', { ...device, effective_from: may }, july);
    const seoul = changed('devices', { ...device, timezone: 'Asia/Seoul' }, may);
    const { changed: ranges, write, remove } = diff([seoul], [back]);
    expect(ranges.map(({ key }) => key)).to.deep.equal(['screen-1', 'screen-2']);
    expect(write).to.deep.equal([]);
    expect(remove).to.deep.equal([
      { key: 'screen-1', validFromMs: mayMs },
      { key: 'screen-2', validFromMs: mayMs },
    ]);
  });
});
