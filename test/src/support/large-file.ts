import type { BulkFormat } from '@popsvc/contracts/bulk';

/** Rows of 1 KiB and less, of which some hold what each format has to mask. */
const rowOf = (number: number): Readonly<Record<string, string>> => ({
  id: `play-${number}`,
  screen: `screen-${number % 50}`,
  campaign: 'C-100',
  asset: `CR-${number % 7}`,
  start: new Date(Date.UTC(2026, 7, 20, 8) + number * 100).toISOString(),
  duration: '10',
  note: number % 10 === 0 ? 'two\r\nlines, "quoted" é' : 'plain',
  filler: 'x'.repeat(700 + (number % 200)),
});

const masked = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const shapes: Readonly<Record<BulkFormat, { first: string; row: (number: number) => string; last: string }>> = {
  ndjson: { first: '', row: (number) => `${JSON.stringify(rowOf(number))}\n`, last: '' },
  json: { first: '[', row: (number) => `${number > 1 ? ',\n' : ''}${JSON.stringify(rowOf(number))}`, last: ']' },
  csv: {
    first: `${Object.keys(rowOf(1)).join()}\r\n`,
    row: (number) => `${Object.values(rowOf(number)).map(masked).join()}\r\n`,
    last: '',
  },
};

const rowsAChunk = 200;

/** A file of at least so many bytes, made while it is read; the rows that were made are counted. */
export const generateLargeFile = (format: BulkFormat, bytes: number) => {
  const { first, row, last } = shapes[format];
  const made = { rows: 0, bytes: 0 };
  async function* content(): AsyncGenerator<Buffer, void, void> {
    const give = (text: string) => {
      const buffer = Buffer.from(text);
      made.bytes += buffer.length;
      return buffer;
    };
    yield await Promise.resolve(give(first));
    while (made.bytes < bytes) {
      const from = made.rows + 1;
      made.rows += rowsAChunk;
      yield give(Array.from({ length: rowsAChunk }, (_, at) => row(from + at)).join(''));
    }
    yield give(last);
  }
  return { content, made };
};
