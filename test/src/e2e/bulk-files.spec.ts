import { gzipSync } from 'node:zlib';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { expect } from 'chai';
import { type BulkTestSystem, bulkSystem } from './bulk.fixture.ts';

const mebibyte = 1_048_576;
const filler = Buffer.alloc(mebibyte, 'x');

async function* oneLongLine(first: string, mebibytes: number, last: string): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from(first));
  for (let nth = 0; nth < mebibytes; nth += 1) yield filler;
  yield Buffer.from(last);
}

type File = string | Buffer | (() => AsyncGenerator<Buffer>);
type Expected = readonly [status: string, total: number | undefined, good: number, bad: number, message?: RegExp];
const failed = (message: RegExp, total?: number, good = 0, bad = 0): Expected => ['failed', total, good, bad, message];

const corpus: readonly (readonly [what: string, format: BulkFormat, file: File, expected: Expected])[] = [
  ['quoting', 'csv', 'a,b\n"1,""x""","two\nlines"\n3,4\n', ['completed', 2, 2, 0]],
  ['CRLF, a byte order mark and blank lines', 'csv', '\uFEFFa,b\r\n\r\n1,2\r\n\r\n', ['completed', 1, 1, 0]],
  ['CRLF, a byte order mark and blank lines', 'ndjson', '\uFEFF{"a":1}\r\n\r\n{"a":2}\r\n', ['completed', 2, 2, 0]],
  [
    'CRLF, a byte order mark and blank lines',
    'json',
    '\uFEFF\r\n[{"a":1},\r\n\r\n{"a":2}]\r\n',
    ['completed', 2, 2, 0],
  ],
  ['one bad row', 'csv', 'a,b\n1,2\n3\n5,6\n', ['partially_completed', 3, 2, 1, /has 1 fields instead of 2/]],
  ['one bad row', 'json', '[{"a":1},2]', ['partially_completed', 2, 1, 1, /is not an object/]],
  ['only bad rows', 'ndjson', 'x\ny\n', failed(/No row of the file is good/, 2, 0, 2)],
  ['a truncated end', 'json', '[{"a":1},{"a":', ['partially_completed', 2, 1, 1, /ends at byte 14/]],
  ['a truncated end', 'ndjson', '{"a":1}\n{"a":', ['partially_completed', 2, 1, 1, /ends too early/]],
  ['an unclosed quote', 'csv', 'a,b\n1,2\n"3,4\n5,6\n', ['partially_completed', 3, 2, 1, /quote/]],
  ['semicolons', 'csv', 'a;b\n1,5;2\n', ['completed', 1, 1, 0]],
  ['tabs', 'csv', 'a\tb\n1\t2\n3\n', ['partially_completed', 2, 1, 1, /has 1 fields instead of 2/]],
  ['NUL bytes', 'ndjson', '{"a":1}\n\0\0\0\n', ['partially_completed', 2, 1, 1, /is not JSON/]],
  ['NUL bytes', 'csv', 'a\n1\n\0\n', ['partially_completed', 2, 1, 1, /NUL/]],
  [
    'bytes that are not UTF-8',
    'csv',
    Buffer.from([0x61, 0x0a, 0x31, 0x0a, 0xff, 0x0a]),
    ['partially_completed', 2, 1, 1, /UTF-8/],
  ],
  ['no bytes', 'ndjson', '', failed(/is empty/)],
  ['no rows', 'csv', 'a,b\n', failed(/no rows/, 0)],
  ['no rows', 'json', ' ', failed(/is empty/)],
  ['gzip', 'ndjson', gzipSync('{"a":1}\n'), failed(/compressed with gzip/)],
  [
    'a 100 MB line',
    'ndjson',
    () => oneLongLine('{"a":1}\n{"a":"', 100, '"}\n{"a":2}\n'),
    ['partially_completed', 3, 2, 1, /is longer than/],
  ],
  [
    'a 100 MB line',
    'csv',
    () => oneLongLine('a,b\n1,2\n3,', 100, '\n5,6\n'),
    ['partially_completed', 3, 2, 1, /is longer than/],
  ],
  [
    'a 100 MB line',
    'json',
    () => oneLongLine('[{"a":1},{"a":"', 100, '"},{"a":2}]'),
    ['partially_completed', 3, 2, 1, /is longer than/],
  ],
];

describe('bulk files over HTTP', function () {
  let system: BulkTestSystem;
  before(async () => {
    system = await bulkSystem();
  });
  after(() => system.close());

  for (const [what, format, file, [status, total, good, bad, message]] of corpus)
    it(`${format} with ${what}: ${status}`, async () => {
      const body = typeof file === 'function' ? file() : file;
      const job = await system.vendor.ingest({ format, body }, 170_000);
      expect([job.status, job.totalRows, job.processedRows, job.errorRows], JSON.stringify(job)).to.deep.equal([
        status,
        total,
        good,
        bad,
      ]);
      if (message) expect(`${job.message ?? ''} ${job.errors.map(({ error }) => error).join()}`).to.match(message);
      expect(job.completedAt).to.be.a('string');
    });

  it('has a worker with a readiness probe and metrics', async () => {
    expect((await fetch(`${system.worker().baseUrl}/readyz`)).status).to.equal(200);
    const metrics = await (await fetch(`${system.worker().baseUrl}/metrics`)).text();
    expect(metrics).to.match(/^popsvc_bulk_rows_total\{kind="good",service="worker"\} [1-9]/m);
  });
});
