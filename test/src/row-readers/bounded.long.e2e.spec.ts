import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BULK_FORMATS } from '@popsvc/contracts/bulk';
import { expect } from 'chai';
import { readAll } from './read-rows.fixture.ts';

const mebibyte = 1_048_576;
const long = process.env['POPSVC_LONG'] === '1';
const size = (long ? 1_024 : 32) * mebibyte;
const mostGrowth = (long ? 150 : 75) * mebibyte;

const run = promisify(execFile);
const reader = fileURLToPath(new URL('./read-large.js', import.meta.url));

/** The report of the process that reads. */
interface Report extends Readonly<Record<'good' | 'bad' | 'last' | 'growth' | 'seconds', number>> {
  readonly made: { readonly rows: number; readonly bytes: number };
}

/** The largest increase of the memory of the process. */
const growthDuring = async (work: (look: () => void) => Promise<void>): Promise<number> => {
  const before = process.memoryUsage.rss();
  let most = before;
  await work(() => {
    most = Math.max(most, process.memoryUsage.rss());
  });
  return most - before;
};

describe(`rows of files of ${size / mebibyte} MiB`, function () {
  this.timeout(600_000);

  for (const format of BULK_FORMATS)
    it(`${format}: are all read, in bounded memory`, async () => {
      const { stdout } = await run(process.execPath, ['--max-old-space-size=256', reader, format, String(size)]);
      const { good, bad, last, growth, seconds, made } = JSON.parse(stdout) as Report;
      process.stdout.write(
        `      ${format}: ${Math.round(good / seconds)} rows/s with making them, RSS +${Math.round(growth / mebibyte)} MiB\n`,
      );
      expect([good, bad, last]).to.deep.equal([made.rows, 0, made.bytes]);
      expect(growth).to.be.lessThan(mostGrowth);
    });

  for (const [format, first] of [
    ['ndjson', '{"a":1}\n{"a":"'],
    ['json', '[{"a":1},{"a":"'],
    ['csv', 'a,b\n1,2\n"3,'],
    ['csv', 'a,b\n1,2\n3,'],
  ] as const)
    it(`${format}: skip a single endless row after ${JSON.stringify(first)} in bounded memory`, async () => {
      const filler = Buffer.alloc(65_536, 'x');
      async function* content(): AsyncGenerator<Buffer, void, void> {
        yield await Promise.resolve(Buffer.from(first));
        for (let bytes = 0; bytes < size; bytes += filler.length) yield filler;
      }
      const growth = await growthDuring(async (look) => {
        const watched = async function* () {
          for await (const chunk of content()) {
            look();
            yield chunk;
          }
        };
        const { events, errors } = await readAll(watched(), { format });
        expect(events).to.have.length(1);
        expect(errors).to.have.length(1);
      });
      expect(growth).to.be.lessThan(mostGrowth);
    });
});
