import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { readDetections, readPlayout } from '@popsvc/cli/import';
import { expect } from 'chai';
import { play, whole } from './playout.fixture.ts';
import { writeTemporaryFile } from './popsvc.fixture.ts';

const data = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));

describe('readPlayout and readDetections with a day of real data', () => {
  it('read 18,855 distinct good plays, 60 resubmissions and 7 bad rows', async () => {
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

  it('read 5,051 good detections', async () => {
    let good = 0;
    for await (const read of readDetections(data('detections-2026-09-14.ndjson.gz'))) if ('item' in read) good += 1;
    expect(good).to.equal(5_051);
  });
});

describe('readPlayout', () => {
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

  const readRows = async (name: string, text: string | Buffer) => {
    const rows: object[] = [];
    for await (const read of readPlayout(await writeTemporaryFile(name, text))) rows.push(read);
    return rows;
  };

  it('accepts a byte order mark, empty lines and CRLF', async () => {
    expect(await readRows('playout.csv', `\uFEFF${good}\r\n\r\n${good}\r\n`)).to.deep.equal(
      [1, 2].map((row) => ({ row, item: play, id: 'P-1' })),
    );
  });

  it('decompresses a file whose name ends in .gz, in upper case too', async () => {
    for (const name of ['playout.csv.gz', 'PLAYOUT.CSV.GZ'])
      expect(await readRows(name, gzipSync(good)), name).to.deep.equal([{ row: 1, item: play, id: 'P-1' }]);
  });

  it('rejects only the row whose quote is never closed', async () => {
    const rows = await readRows('stray.csv', `${good}\n"never closed,${'x'.repeat(100_000)}\n${good}\n`);
    expect(rows).to.have.length(3);
    expect(rows[1]).to.have.property('reason').that.matches(/quote/);
    expect(rows[2]).to.deep.equal({ row: 3, item: play, id: 'P-1' });
  });

  it('names a file that is not text', async () => {
    const failure = await readRows('packed.csv', gzipSync(good)).catch((error: unknown) => String(error));
    expect(failure).to.match(/packed\.csv: The file is compressed with gzip/);
  });
});
