import type { Mapping } from '@popsvc/contracts/mappings';
import { mapEvent } from '@popsvc/domain/mappings';
import { readShippedMapping } from '@popsvc/cli/mappings';
import { expect } from 'chai';
import { type Fields, play, whole } from './playout.fixture.ts';

describe('shipped mapping playout-digital', () => {
  let mapping: Mapping;
  before(async () => (mapping = await readShippedMapping('playout-digital')));

  const rowOf = (fields: Fields): Fields =>
    Object.fromEntries(mapping.columns!.map((column) => [column, fields[column] ?? whole[column] ?? '']));
  const mapped = (fields: Fields) =>
    mapEvent(mapping, rowOf(fields), { receivedAtMs: Date.parse('2026-09-15T00:00:00Z'), zoneOf: () => undefined });

  const cases: readonly (readonly [string, Fields, object])[] = [
    ['start and length', {}, play],
    [
      'start and end',
      { spotlength: '', enddate: '2026-09-14T12:43:22.512', endutcoffset: '+01:00' },
      { ...play, durationMs: 5_500 },
    ],
    [
      'end and length',
      { startdate: '', startutcoffset: '', enddate: '2026-09-14T12:43:27.012', endutcoffset: '+01:00' },
      play,
    ],
    ['all three, of which the end is ignored', { enddate: '2026-09-14T12:59:00.000', endutcoffset: '+01:00' }, play],
    [
      'a date without fraction',
      { startdate: '2026-09-14T12:43:17' },
      { ...play, playedAt: '2026-09-14T12:43:17.000Z' },
    ],
    ['a western offset, which does not shift the UTC time', { startutcoffset: '-05:30' }, play],
    ['a trigger', { creativetriggerevent: 'temp>20C' }, { ...play, startReason: 'triggered' }],
    ['surrounding blanks', { frameid: ' 1234567801 ' }, play],
  ];
  for (const [what, fields, expected] of cases)
    it(`maps a row to a play: ${what}`, () => {
      expect(mapped(fields)).to.deep.equal({ play: expected });
    });

  const end = { enddate: '2026-09-14T12:43:27.012', endutcoffset: '+01:00' };
  const invalidRows: readonly (readonly [Fields, code: string, reason: string])[] = [
    [{ frameid: '' }, 'missing', 'screenId (frameid) is missing'],
    [
      { orderid: '', mediaownerplayoutref: '' },
      'missing',
      'campaignId (orderid) is missing; mediaownerplayoutref is missing',
    ],
    [
      { spacebuyerid: '', spacebrandid: '', creativename: '' },
      'missing',
      'spacebuyerid is missing; spacebrandid is missing; creativename is missing',
    ],
    [{ creativeid: ' ' }, 'missing', 'creativeId (creativeid) is missing'],
    [{ startutcoffset: '' }, 'missing', 'offset of playedAt (startdate) (startutcoffset) is missing'],
    [{ spotlength: '', ...end, endutcoffset: '' }, 'missing', 'offset of endedAt (enddate) (endutcoffset) is missing'],
    [
      { startdate: '2026-02-30T12:00:00.000' },
      'unparsable',
      'playedAt (startdate): "2026-02-30T12:00:00.000" is not a time',
    ],
    [
      { startdate: '2026-09-14T12:43:17.012Z' },
      'unparsable',
      'playedAt (startdate): "2026-09-14T12:43:17.012Z" is not a time',
    ],
    [
      { spotlength: '' },
      'missing',
      'two of start, end and duration are needed: duration (spotlength) and endedAt (enddate) are missing',
    ],
    [
      { startdate: '', startutcoffset: '', spotlength: '', ...end },
      'missing',
      'two of start, end and duration are needed: playedAt (startdate) and duration (spotlength) are missing',
    ],
    [{ spotlength: '-5' }, 'unparsable', 'duration (spotlength): "-5" is not a length in ms'],
    [
      { spotlength: '', ...end, enddate: '2026-09-14T12:43:17.012' },
      'invalid',
      'endedAt (enddate): is not after playedAt (startdate)',
    ],
  ];
  for (const [fields, code, reason] of invalidRows)
    it(`rejects a row: ${reason}`, () => {
      expect(mapped(fields)).to.have.property('unfit').that.deep.equals({ code, reason });
    });

  it('reads times in UTC whatever the field of the offset contains', () => {
    expect(mapped({ startutcoffset: '+1' })).to.deep.equal(mapped({}));
  });

  it('rejects durations outside of the limits of a play', () => {
    for (const spotlength of ['0', '86400001'])
      expect(mapped({ spotlength }))
        .to.have.nested.property('unfit.reason')
        .that.matches(/^durationMs /);
  });
});
