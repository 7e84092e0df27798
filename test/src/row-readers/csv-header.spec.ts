import { gzipSync } from 'node:zlib';
import { type CsvHeader, readCsvHeader, UnreadableFile } from '@popsvc/platform/row-readers';
import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

async function* inChunks(file: string | Buffer, size = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(file);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

const headerOf = (file: string | Buffer, delimiter?: CsvHeader['delimiter'], size?: number) =>
  readCsvHeader(inChunks(file, size), delimiter);

const problemOf = (file: string | Buffer, delimiter?: CsvHeader['delimiter']): Promise<string> =>
  headerOf(file, delimiter).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof UnreadableFile) return error.message;
      throw error;
    },
  );

describe('the header row of a CSV file', () => {
  for (const [what, file, delimiter, names] of [
    ['commas', 'a,b c\r\n1;2;3,4\n', ',', ['a', 'b c']],
    ['semicolons', '\uFEFFa;b;c\n1;2;3', ';', ['a', 'b', 'c']],
    ['tabs', 'a\tb', '\t', ['a', 'b']],
    ['one column', 'a\n1,2', ',', ['a']],
    ['the delimiter of the most columns', 'a;b,c;d\n', ';', ['a', 'b,c', 'd']],
    ['the comma of equally many columns', 'a,b;c\n', ',', ['a', 'b;c']],
    ['delimiters within quotes, which do not count', '"a;b;c;d",e\n', ',', ['a;b;c;d', 'e']],
    ['names of two lines', '\n"a\nb";c\n', ';', ['a\nb', 'c']],
    ['quotes that only one delimiter allows', '"a"\t"b,c;d;e"\n', '\t', ['a', 'b,c;d;e']],
  ] as const)
    it(`yields its delimiter and names: ${what}`, async () => {
      for (const size of [1, 65_536]) expect(await headerOf(file, undefined, size)).to.deep.equal({ delimiter, names });
      const { events } = await readAll(`${file}\n${names.map(() => 'x').join(delimiter)}\n`, {
        format: 'csv',
        delimiter,
      });
      expect(Object.keys(events.at(-1) as object)).to.deep.equal(names);
    });

  it('is read with a given delimiter', async () => {
    expect(await headerOf('a;b,c;d\n', ',')).to.deep.equal({ delimiter: ',', names: ['a;b', 'c;d'] });
  });

  for (const [what, file, expected] of [
    ['a name twice', 'a;b;a\n', 'The header row has the name "a" twice.'],
    ['no name for a column', 'a,,c\n', 'Column 2 of the header row has no name.'],
    [
      'bars',
      'a|b\n',
      'The fields are separated by bars, not by commas; metadata.delimiter may be a comma, a semicolon or a tab.',
    ],
    ['stray quotes', 'a "b",c\n', 'The header row is not CSV.'],
    ['an unclosed quote', 'a,"b\n1,2\n', 'The header row has a quote in the wrong place, or one that is never closed.'],
    ['other bytes than UTF-8', Buffer.from([0x61, 0xff, 0x0a]), 'The header row is not UTF-8; save the file as UTF-8.'],
    ['no text', ' \r\n', 'The file is empty.'],
    ['compressed bytes', gzipSync('a,b\n'), 'The file is compressed with gzip; it must be plain text in UTF-8.'],
  ] as const)
    it(`is refused, as the job would refuse it: ${what}`, async () => {
      expect(await problemOf(file)).to.equal(expected);
      expect(
        (await readAll(file, { format: 'csv', delimiter: what === 'a name twice' ? ';' : ',' })).unreadable,
      ).to.equal(expected);
    });

  it('is refused when another delimiter was given', async () => {
    expect(await problemOf('a;b\n', '\t')).to.match(/separated by semicolons, not by tabs/);
  });

  it('is read without the rest of the file, however long the first line is', async () => {
    let bytesRead = 0;
    async function* file(first: string) {
      yield await Promise.resolve(Buffer.from(first));
      for (;;) {
        bytesRead += 65_536;
        yield Buffer.alloc(65_536, 'x');
      }
    }
    expect(await readCsvHeader(file('a,b\n1,'))).to.deep.equal({ delimiter: ',', names: ['a', 'b'] });
    expect(bytesRead).to.equal(0);
    const endless = await readCsvHeader(file('a,b')).catch((error: unknown) => error);
    expect(endless).to.have.property('message', 'The header row is longer than 1,048,576 bytes.');
    expect(bytesRead).to.be.at.most(2_200_000);
  });
});
