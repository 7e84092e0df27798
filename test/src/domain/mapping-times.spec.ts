import { mapEvent } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { eventWith, mapped, mappingWith, playWith, received, inLondon, unfit } from './given-mapping.ts';

const withStart = (source: object, start: unknown, zone?: string) =>
  unfit({ mapping: { playedAt: { path: 'start', ...source } }, event: { start }, ...(zone !== undefined && { zone }) });

describe('A time in a mapping', () => {
  for (const [what, source, start, playedAt] of [
    ['iso with Z', {}, '2026-09-14T10:00:00.250Z', '2026-09-14T10:00:00.250Z'],
    ['iso with an offset', {}, '2026-09-14T12:00:00+02:00', '2026-09-14T10:00:00.000Z'],
    [
      'iso with an offset, whatever the zone',
      { zone: 'Asia/Tokyo' },
      '2026-09-14T12:00:00+02:00',
      '2026-09-14T10:00:00.000Z',
    ],
    ['iso without one, by the clock of the device', {}, '2026-09-14T10:00:00', '2026-09-14T09:00:00.000Z'],
    ['iso with a blank for the T', { time: 'iso' }, '2026-09-14 10:00:00.5', '2026-09-14T09:00:00.500Z'],
    ['iso by the clock of a zone', { zone: 'America/New_York' }, '2026-09-14T10:00:00', '2026-09-14T14:00:00.000Z'],
    ['iso by UTC', { zone: 'utc' }, '2026-09-14T10:00:00', '2026-09-14T10:00:00.000Z'],
    ['seconds', { time: 'unix_s' }, 1_789_380_000, '2026-09-14T10:00:00.000Z'],
    ['seconds with decimals, half up', { time: 'unix_s' }, '1789380000.0005', '2026-09-14T10:00:00.001Z'],
    ['milliseconds', { time: 'unix_ms' }, '1789380000250', '2026-09-14T10:00:00.250Z'],
    ['a pattern', { time: 'yyyy-MM-dd HH:mm:ss' }, '2026-09-14 10:00:00', '2026-09-14T09:00:00.000Z'],
    ['a pattern with a T', { time: 'yyyy-MM-ddTHH:mm' }, '2026-09-14T10:00', '2026-09-14T09:00:00.000Z'],
    ['a pattern of 12 hours', { time: 'd/M/yy h:mm a', zone: 'utc' }, '14/9/26 10:00 PM', '2026-09-14T22:00:00.000Z'],
    ['a pattern with an offset', { time: 'yyyyMMdd-HHmmss ZZ' }, '20260914-100000 -05:00', '2026-09-14T15:00:00.000Z'],
    [
      'a pattern with a month by name',
      { time: "dd MMM yyyy 'at' HH:mm", zone: 'utc' },
      '14 Sep 2026 at 10:00',
      '2026-09-14T10:00:00.000Z',
    ],
  ] as const)
    it(`is read: ${what}`, () => {
      expect(withStart(source, start)).to.deep.equal(playWith({ playedAt }));
    });

  for (const [what, source, start, kind] of [
    ['a day that is none', {}, '2026-02-30T10:00:00Z', ''],
    ['a date alone', {}, '2026-09-14', ''],
    ['a number for iso', {}, 1_789_380_000, ''],
    ['text for seconds', { time: 'unix_s' }, 'now', ' (unix_s)'],
    ['a negative number', { time: 'unix_ms' }, -5, ' (unix_ms)'],
    ['another pattern', { time: 'dd.MM.yyyy HH:mm' }, '2026-09-14 10:00', ' (dd.MM.yyyy HH:mm)'],
    ['a month 13', { time: 'yyyy-MM-dd HH:mm' }, '2026-13-14 10:00', ' (yyyy-MM-dd HH:mm)'],
  ] as const)
    it(`cannot be read: ${what}`, () => {
      const quoted = typeof start === 'number' ? String(start) : JSON.stringify(start);
      // The reason quotes a number as text.
      const reason = `playedAt (start): ${typeof start === 'number' ? `"${quoted}"` : quoted} is not a time${kind}`;
      expect(withStart(source, start)).to.deep.equal({ code: 'unparsable', reason });
    });

  it('can have its offset in a separate field', () => {
    const at = (source: object, event: object) =>
      unfit({ mapping: { playedAt: { path: 'start', offset_path: 'off', ...source } }, event });
    const start = '2026-09-14T10:00:00';
    expect(at({}, { start, off: '-05:30' })).to.deep.equal(playWith({ playedAt: '2026-09-14T15:30:00.000Z' }));
    expect(at({}, { start, off: '+0200' })).to.deep.equal(playWith({ playedAt: '2026-09-14T08:00:00.000Z' }));
    expect(at({}, { start, off: 'Z' })).to.deep.equal(playWith());
    expect(at({ zone: 'utc' }, { start, off: '-05:30' }), 'by UTC the offset moves nothing').to.deep.equal(playWith());
    for (const source of [{}, { zone: 'utc' }]) {
      expect(at(source, { start, off: '' })).to.deep.equal({
        code: 'missing',
        reason: 'offset of playedAt (start) (off) is missing',
      });
      expect(at(source, { start: `${start}Z`, off: '+01:00' })).to.have.property('code', 'unparsable');
    }
    const noOffsets = ['1', '+1', '01:00', ':01:00', '+25:00', '+01:60', '+01:', '.5Z', 'Europe/Paris', '0', ':', '-Z'];
    for (const off of noOffsets) {
      expect(at({}, { start, off })).to.deep.equal({
        code: 'unparsable',
        reason: `offset of playedAt (start) (off): "${off}" is not an offset`,
      });
      expect(at({ zone: 'utc' }, { start, off }), 'by UTC its content does not matter').to.deep.equal(playWith());
    }
  });

  for (const [offsets, playedAt] of [
    [
      // The Outsmart Playout Reporting Standard writes GMT as :00:00.
      [':00:00', '00:00', '00', '0000', '00:00:00', '+00', '-00', '+00:00:00', '-00:00', 'Z', 'z', 'GMT', 'gmt', 'UTC'],
      '2026-09-14T10:00:00.000Z',
    ],
    [['+01', '+0100', '+01:00', '+01:00:00', '+010000', 'GMT+01:00', 'UTC+01'], '2026-09-14T09:00:00.000Z'],
    [['-05:30', '-0530', '−05:30', '-05:30:00'], '2026-09-14T15:30:00.000Z'],
  ] as const)
    for (const off of offsets)
      it(`has the offset ${off}`, () => {
        const source = { path: 'start', offset_path: 'off' };
        expect(unfit({ mapping: { playedAt: source }, event: { start: '2026-09-14T10:00:00', off } })).to.deep.equal(
          playWith({ playedAt }),
        );
      });
});

describe('Start, end and duration in a mapping', () => {
  const mapping = { endedAt: { path: 'end' } };
  const end = '2026-09-14T10:00:10.000Z';

  for (const [what, event] of [
    ['start and duration', {}],
    ['start and end', { length: '', end }],
    ['end and duration', { start: null, end }],
    ['all three, the end not even looked at', { end: 'whenever' }],
  ] as const)
    it(`make a play: ${what}`, () => {
      expect(unfit({ mapping, event })).to.deep.equal(playWith());
    });

  for (const [event, missing] of [
    [{ length: '' }, 'duration (length) and endedAt (end)'],
    [{ start: '' }, 'playedAt (start) and endedAt (end)'],
    [{ start: '', length: '', end }, 'playedAt (start) and duration (length)'],
    [{ start: '', length: '' }, 'playedAt (start) and duration (length) and endedAt (end)'],
  ] as const)
    it(`make no play without ${missing}`, () => {
      const reason = `two of start, end and duration are needed: ${missing} are missing`;
      expect(unfit({ mapping, event })).to.deep.equal({ code: 'missing', reason });
    });

  it('make no play that ends before or at its start', () => {
    const reason = 'endedAt (end): is not after playedAt (start)';
    for (const early of ['2026-09-14T09:59:59Z', '2026-09-14T10:00:00Z'])
      expect(unfit({ mapping, event: { length: null, end: early } })).to.deep.equal({ code: 'invalid', reason });
  });

  for (const [unit, length, durationMs] of [
    ['ms', 10_000, 10_000],
    ['ms', '250.5', 251],
    ['ms', 250.4999, 250],
    ['s', 10, 10_000],
    ['s', '0.0005', 1],
    ['s', 1.0005, 1_001],
    ['s', 7.25, 7_250],
  ] as const)
    it(`read ${length} ${unit} as ${durationMs} ms`, () => {
      const duration = { path: 'length', unit };
      expect(unfit({ mapping: { duration }, event: { length } })).to.deep.equal(playWith({ durationMs }));
    });

  for (const length of ['-5', 'ten', '1e3', '0x10', '10,5', '1 000', 'Infinity'])
    it(`refuse the length ${length}`, () => {
      expect(unfit({ event: { length } })).to.deep.equal({
        code: 'unparsable',
        reason: `duration (length): "${length}" is not a length in ms`,
      });
    });
});

describe('The limits of a play', () => {
  it('apply to mapped plays', () => {
    expect(unfit({ event: { length: 0 } })).to.have.property('code', 'invalid');
    expect(unfit({ event: { length: 86_400_000 } })).to.deep.equal(playWith({ durationMs: 86_400_000 }));
    expect(unfit({ event: { length: 86_400_001 } }))
      .to.include({ code: 'invalid' })
      .and.to.have.property('reason')
      .that.matches(/^durationMs /);
    expect(unfit({ event: { screen: 'x'.repeat(1_001) } })).to.have.property('code', 'invalid');
    expect(unfit({ event: { length: '999999999999999' } })).to.have.property('code', 'invalid');
  });

  it('are relative to the time of receipt', () => {
    const at = (ms: number) => ({ event: { start: new Date(ms).toISOString() } });
    const day = 86_400_000;
    expect(unfit(at(received + day))).to.have.property('eventId');
    expect(unfit(at(received + day + 1))).to.deep.equal({
      code: 'invalid',
      reason: 'playedAt must not be more than 24 h in the future',
    });
    expect(unfit(at(Date.UTC(2000, 0, 1)))).to.have.property('eventId');
    expect(unfit(at(Date.UTC(2000, 0, 1) - 1))).to.have.property('code', 'invalid');
    const old = (startMs: number) =>
      mapEvent(mappingWith(), eventWith({ start: new Date(startMs).toISOString() }), {
        ...inLondon,
        maxAgeDays: 14,
      });
    expect(old(received - 14 * day)).to.have.property('play');
    expect(old(received - 14 * day - 1)).to.deep.equal({
      unfit: { code: 'too_old', reason: 'playedAt must not be more than 14 days ago' },
      eventId: 'p-1',
    });
  });

  it('apply to times beyond the calendar', () => {
    const playedAt = { path: 'start', time: 'unix_s' };
    expect(mapped({ mapping: { playedAt }, event: { start: '999999999999999' } })).to.have.nested.property(
      'unfit.code',
      'invalid',
    );
  });
});
