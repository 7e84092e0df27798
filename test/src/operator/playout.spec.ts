import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Mapping } from '@popsvc/contracts/mappings';
import { mapEvent } from '@popsvc/domain/mappings';
import { readDetections, readPlayout } from '@popsvc/operator/import';
import { shippedMapping } from '@popsvc/operator/mappings';
import { expect } from 'chai';
import { fileOf } from './popsvc.fixture.ts';

const data = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));

type Fields = Readonly<Record<string, string>>;

const whole: Fields = {
  frameid: '1234567801',
  startdate: '2026-09-14T12:43:17.012',
  startutcoffset: '+01:00',
  spotlength: '10000',
  orderid: 'ORD-1',
  spacebuyerid: '3001',
  spacebrandid: '7001',
  creativeid: 'CR-1',
  creativename: 'coats.mp4',
  mediaownerplayoutref: 'P-1',
};

const play = {
  eventId: 'P-1',
  screenId: '1234567801',
  campaignId: 'ORD-1',
  creativeId: 'CR-1',
  playedAt: '2026-09-14T12:43:17.012Z',
  durationMs: 10_000,
  startReason: 'scheduled',
};

describe('The digital playout layout', () => {
  let mapping: Mapping;
  before(async () => (mapping = await shippedMapping('playout-digital')));

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
    ['all three, the end ignored', { enddate: '2026-09-14T12:59:00.000', endutcoffset: '+01:00' }, play],
    [
      'a date without fraction',
      { startdate: '2026-09-14T12:43:17' },
      { ...play, playedAt: '2026-09-14T12:43:17.000Z' },
    ],
    ['an offset west, which moves nothing', { startutcoffset: '-05:30' }, play],
    ['a trigger', { creativetriggerevent: 'temp>20C' }, { ...play, startReason: 'triggered' }],
    ['blanks around', { frameid: ' 1234567801 ' }, play],
  ];
  for (const [what, fields, expected] of cases)
    it(`is a play: ${what}`, () => {
      expect(mapped(fields)).to.deep.equal({ play: expected });
    });

  const end = { enddate: '2026-09-14T12:43:27.012', endutcoffset: '+01:00' };
  const troubles: readonly (readonly [Fields, code: string, reason: string])[] = [
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
    [{ startutcoffset: '+1' }, 'unparsable', 'offset of playedAt (startdate) (startutcoffset): "+1" is not an offset'],
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
  for (const [fields, code, reason] of troubles)
    it(`is bad: ${reason}`, () => {
      expect(mapped(fields)).to.have.property('unfit').that.deep.equals({ code, reason });
    });

  it('is bad when it is more than a play may be', () => {
    for (const spotlength of ['0', '86400001'])
      expect(mapped({ spotlength }))
        .to.have.nested.property('unfit.reason')
        .that.matches(/^durationMs /);
  });
});

describe('A day of real playout', () => {
  it('has 18,855 distinct good plays, 60 resubmissions and 7 bad rows', async () => {
    const times = new Map<string, number>();
    const bad: object[] = [];
    let rows = 0;
    for await (const read of readPlayout(data('playout-digital-2026-09-14.csv.gz'))) {
      rows += 1;
      if ('reason' in read) bad.push(read);
      else times.set(read.id, (times.get(read.id) ?? 0) + 1);
    }
    expect(rows).to.equal(18_922);
    expect(times.size).to.equal(18_855);
    expect([...times.values()].reduce((sum, count) => sum + count - 1, 0)).to.equal(60);
    expect(bad).to.deep.equal([
      {
        row: 889,
        reason: 'two of start, end and duration are needed: duration (spotlength) and endedAt (enddate) are missing',
      },
      { row: 1_312, reason: 'creativeId (creativeid) is missing' },
      { row: 2_943, reason: 'playedAt (startdate): "2026-13-14T10:00:00.000" is not a time' },
      { row: 3_280, reason: 'endedAt (enddate): is not after playedAt (startdate)' },
      { row: 10_802, reason: 'has 15 fields instead of 19' },
      { row: 11_497, reason: 'screenId (frameid) is missing' },
      { row: 14_720, reason: 'offset of playedAt (startdate) (startutcoffset) is missing' },
    ]);
  });

  it('has 5,051 good detections', async () => {
    let good = 0;
    for await (const read of readDetections(data('detections-2026-09-14.ndjson.gz'))) if ('item' in read) good += 1;
    expect(good).to.equal(5_051);
  });
});

describe('A playout file', () => {
  const line = Array.from({ length: 19 }, () => '');
  for (const [at, value] of [
    [0, whole['frameid']],
    [1, whole['startdate']],
    [2, whole['startutcoffset']],
    [5, whole['spotlength']],
    [7, whole['orderid']],
    [9, whole['spacebuyerid']],
    [11, whole['spacebrandid']],
    [13, whole['creativeid']],
    [14, whole['creativename']],
    [18, whole['mediaownerplayoutref']],
  ] as const)
    line[at] = value!;
  const good = line.join(',');

  const reading = async (name: string, text: string | Buffer) => {
    const rows: object[] = [];
    for await (const read of readPlayout(await fileOf(name, text))) rows.push(read);
    return rows;
  };

  it('may have a byte order mark, empty lines and CRLF', async () => {
    expect(await reading('playout.csv', `\uFEFF${good}\r\n\r\n${good}\r\n`)).to.deep.equal(
      [1, 2].map((row) => ({ row, item: play, id: 'P-1' })),
    );
  });

  it('loses the row whose quote is never closed, and no other', async () => {
    const rows = await reading('stray.csv', `${good}\n"never closed,${'x'.repeat(100_000)}\n${good}\n`);
    expect(rows).to.have.length(3);
    expect(rows[1]).to.have.property('reason').that.matches(/quote/);
    expect(rows[2]).to.deep.equal({ row: 3, item: play, id: 'P-1' });
  });

  it('is named when it is no text', async () => {
    const told = await reading('packed.csv', gzipSync(good)).catch((error: unknown) => String(error));
    expect(told).to.match(/packed\.csv: The file is compressed with gzip/);
  });
});
