import { BULK_FORMATS, type BulkJob } from '@popsvc/contracts/bulk';
import { expect } from 'chai';
import { readPeakBytes } from '@popsvc/tools/bench';
import { generateLargeFile } from '../support/uploads.ts';
import { type BulkTestSystem, bulkSystem } from './bulk.fixture.ts';

const mebibyte = 1_048_576;
const long = process.env['POPSVC_LONG'] === '1';
const size = (long ? 1_024 : 16) * mebibyte;
/** The worker reports progress each second, so a small file must take some seconds on a fast machine too. */
const workerSpeed = long ? {} : { workerBytesPerSecond: 6 * mebibyte };
/** More than a worker needs in any case, and less than the rows of the file take in memory. */
const mostGrowth = (long ? 150 : 32) * mebibyte;
const badRow = 4_711;

/** The content of a file with one line that is not JSON. */
async function* withOneBadLine(rows: number): AsyncGenerator<Buffer> {
  const lines = 1_000;
  for (let from = 0; from < rows; from += lines)
    yield await Promise.resolve(
      Buffer.from(
        Array.from({ length: lines }, (_, at) => from + at + 1)
          .map((row) => (row === badRow ? 'x\n' : `{"id":${row}}\n`))
          .join(''),
      ),
    );
}

describe(`bulk files of ${size / mebibyte} MiB over HTTP`, function () {
  this.timeout(long ? 3_600_000 : 180_000);
  let system: BulkTestSystem;
  before(async () => {
    system = await bulkSystem(workerSpeed);
  });
  after(() => system.close());

  describe('by a fresh worker', () => {
    let isWorkerUsed = false;
    beforeEach(async () => {
      // The peak memory of a process never decreases.
      if (isWorkerUsed) await system.replaceWorker();
      isWorkerUsed = true;
      // Memory that a worker allocates once is no growth.
      await system.vendor.ingest({ format: 'ndjson', body: generateLargeFile('ndjson', 4 * mebibyte).content() });
    });

    for (const format of BULK_FORMATS)
      it(`${format}: reports progress and needs no memory for the file`, async () => {
        const { content, made } = generateLargeFile(format, size);
        const before = readPeakBytes(system.worker().pid);
        const seen: BulkJob[] = [];
        const began = performance.now();
        const job = await system.vendor.ingest(
          { format, body: content() },
          1_800_000,
          (polled) => seen.push(polled),
          250,
        );
        const seconds = (performance.now() - began) / 1_000;
        const growth = readPeakBytes(system.worker().pid) - before;
        const steps = [
          ...new Set(seen.filter(({ status }) => status === 'processing').map((one) => one.processedRows)),
        ];
        process.stdout.write(
          `      ${format}: ${made.rows} rows in ${seconds.toFixed(0)} s with the upload, ${steps.length} steps seen, ` +
            `RSS of the worker +${Math.round(growth / mebibyte)} MiB\n`,
        );
        expect([job.status, job.totalRows, job.processedRows]).to.deep.equal(['completed', made.rows, made.rows]);
        expect(job.bytesRead).to.equal(made.bytes);
        expect(steps.length).to.be.greaterThan(2);
        expect(steps).to.deep.equal(steps.toSorted((a, b) => a - b));
        expect(growth).to.be.lessThan(mostGrowth);
      });
  });

  it(`reports one bad row of ${long ? 'a million' : 'many'} and stores all others`, async () => {
    const rows = long ? 1_000_000 : 10_000;
    const job = await system.vendor.ingest({ format: 'ndjson', body: withOneBadLine(rows) }, 1_800_000);
    expect([job.status, job.totalRows, job.processedRows, job.errorRows]).to.deep.equal([
      'partially_completed',
      rows,
      rows - 1,
      1,
    ]);
    expect(job.errors).to.deep.equal([{ row: badRow, error: 'is not JSON' }]);
  });
});
