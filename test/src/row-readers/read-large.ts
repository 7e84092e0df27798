/** Reads a large generated file in its own process, because memory used by earlier tests would hide the memory that reading needs. */
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { readRows } from '@popsvc/platform/row-readers';
import { generateLargeFile } from '../support/uploads.ts';

const [format, bytes] = process.argv.slice(2) as [BulkFormat, string];
const { content, made } = generateLargeFile(format, Number(bytes));
const [before, began] = [process.memoryUsage.rss(), performance.now()];
let [good, bad, last, most] = [0, 0, 0, before];
for await (const { rows, bytesRead } of readRows(content(), { format })) {
  for (const row of rows)
    if ('event' in row) good += 1;
    else bad += 1;
  last = bytesRead;
  most = Math.max(most, process.memoryUsage.rss());
}
const seconds = (performance.now() - began) / 1_000;
process.stdout.write(JSON.stringify({ good, bad, last, growth: most - before, seconds, made }));
