import { fileURLToPath } from 'node:url';
import { playOfRow, playoutFields, readDetections, readPlayout } from '@popsvc/operator/import';
import { expect } from 'chai';
import { fileOf } from './popsvc.fixture.ts';

const data = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));

const row = (fields: Partial<Record<(typeof playoutFields)[number], string>> = {}): string[] => {
  const whole: Partial<Record<string, string>> = {
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
    ...fields,
  };
  return playoutFields.map((field) => whole[field] ?? '');
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

describe('A row of a playout file', () => {
  for (const [what, fields, expected] of [
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
  ] as const)
    it(`is a play: ${what}`, () => {
      expect(playOfRow(row(fields))).to.deep.equal({ item: expected, id: 'P-1' });
    });

  for (const [fields, reason] of [
    [{ frameid: '' }, 'frameid is missing'],
    [{ orderid: '', mediaownerplayoutref: '' }, 'orderid is missing; mediaownerplayoutref is missing'],
    [
      { spacebuyerid: '', spacebrandid: '', creativename: '' },
      'spacebuyerid is missing; spacebrandid is missing; creativename is missing',
    ],
    [{ creativeid: ' ' }, 'creativeid is missing'],
    [{ startutcoffset: '' }, 'startutcoffset is missing'],
    [{ startutcoffset: '+1' }, 'startutcoffset +1 is not an offset'],
    [{ enddate: '2026-09-14T12:43:27.012' }, 'endutcoffset is missing'],
    [{ startdate: '2026-02-30T12:00:00.000' }, 'startdate 2026-02-30T12:00:00.000 is not a date'],
    [{ startdate: '2026-09-14T12:43:17.012Z' }, 'startdate 2026-09-14T12:43:17.012Z is not a date'],
    [{ spotlength: '' }, 'neither spotlength nor enddate is given'],
    [{ startdate: '', startutcoffset: '' }, 'startdate is missing'],
    [
      { startdate: '', startutcoffset: '', spotlength: '', enddate: '2026-09-14T12:43:27.012', endutcoffset: '+01:00' },
      'neither startdate nor spotlength is given',
    ],
    [{ spotlength: '-5' }, 'spotlength -5 is not a length in milliseconds'],
    [{ spotlength: '0' }, 'spotlength 0 is not a length in milliseconds'],
    [{ spotlength: '', enddate: '2026-09-14T12:43:17.012', endutcoffset: '+01:00' }, 'enddate is not after startdate'],
  ] as const)
    it(`is bad: ${reason}`, () => {
      expect(playOfRow(row(fields))).to.deep.equal({ reason });
    });

  it('is bad when it was cut, or is more than a play may be', () => {
    expect(playOfRow(row().slice(0, 12))).to.deep.equal({ reason: 'has 12 fields, not 19' });
    expect(playOfRow(row({ spotlength: '86400001' })))
      .to.have.property('reason')
      .that.includes('durationMs');
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
      { row: 889, reason: 'neither spotlength nor enddate is given' },
      { row: 1_312, reason: 'creativeid is missing' },
      { row: 2_943, reason: 'startdate 2026-13-14T10:00:00.000 is not a date' },
      { row: 3_280, reason: 'enddate is not after startdate' },
      { row: 10_802, reason: 'has 15 fields, not 19' },
      { row: 11_497, reason: 'frameid is missing' },
      { row: 14_720, reason: 'startutcoffset is missing' },
    ]);
  });

  it('has 5,051 good detections', async () => {
    let good = 0;
    for await (const read of readDetections(data('detections-2026-09-14.ndjson.gz'))) if ('item' in read) good += 1;
    expect(good).to.equal(5_051);
  });
});

describe('A file that is no playout file', () => {
  const reading = async (text: string) => {
    const rows: object[] = [];
    for await (const read of readPlayout(await fileOf('playout.csv', text))) rows.push(read);
    return rows;
  };

  it('is read to its last good row, and the row that cannot be read is named', async () => {
    const rows = `${row().join(',')}\n"never closed,${'x'.repeat(100_000)}\n`;
    expect(await reading(rows).catch((error: unknown) => String(error))).to.match(/row 2 cannot be read/);
  });

  it('passes over a byte order mark and empty lines, and takes CRLF', async () => {
    expect(await reading(`\uFEFF${row().join(',')}\r\n\r\n${row().join(',')}\r\n`)).to.deep.equal(
      [1, 2].map((number) => ({ row: number, item: play, id: 'P-1' })),
    );
  });
});
