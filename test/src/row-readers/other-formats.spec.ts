import { gzipSync } from 'node:zlib';
import { BULK_FORMATS } from '@popsvc/contracts/bulk';
import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

describe('files of other formats', () => {
  for (const format of BULK_FORMATS)
    for (const [what, bytes, expected] of [
      ['an empty file', Buffer.alloc(0), 'The file is empty.'],
      ['a file of blank lines', Buffer.from(' \r\n\n\t'), 'The file is empty.'],
      ['a byte order mark alone', Buffer.from('\uFEFF'), 'The file is empty.'],
      ['a gzip file', gzipSync('{"a":1}\n'), 'The file is compressed with gzip; it must be plain text in UTF-8.'],
      ['a ZIP archive', Buffer.from('PK\x03\x04rest'), 'The file is a ZIP archive; it must be plain text in UTF-8.'],
      ['UTF-16', Buffer.from('\uFEFF{"a":1}', 'utf16le'), 'The file is UTF-16 text; it must be plain text in UTF-8.'],
    ] as const)
      it(`${what} as ${format} is named in the error`, async () => {
        for (const sizes of [undefined, [1]]) {
          const { rows, unreadable } = await readAll(bytes, { format }, sizes);
          expect(rows).to.deep.equal([]);
          expect(unreadable).to.equal(expected);
        }
      });

  it('pass on errors of the stream', async () => {
    const broken = async function* () {
      yield await Promise.resolve(Buffer.from('{"a":1}\n{"a"'));
      throw new Error('the disk is gone');
    };
    const error = await readAll(broken(), { format: 'ndjson' }).catch((failure: unknown) => failure);
    expect(error).to.be.an('error').with.property('message', 'the disk is gone');
  });
});
