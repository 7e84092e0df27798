import type { UploadSettings } from '@popsvc/command-api/service';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import { Secret } from '@popsvc/platform/config';
import { openDiskObjectStore, type ReceivingObjectStore } from '@popsvc/platform/object-storage';
import { temporaryFolder } from '@popsvc/tools/rig';

export const signingKey = 'a-key-that-signs-addresses-of-tests';

interface TestUploads {
  readonly dir: string;
  readonly objects: ReceivingObjectStore;
  readonly uploads: UploadSettings;
}

/** Creates an object store for uploads in a temporary folder. */
export const testUploads = async (over: Partial<UploadSettings> = {}): Promise<TestUploads> => {
  const dir = await temporaryFolder('uploads');
  const uploads = { secrets: [new Secret(signingKey)], maxBytes: 2_147_483_648, ...over };
  return { dir, objects: await openDiskObjectStore(dir), uploads };
};

/** A row of at most 1 KiB. Every tenth row has characters that JSON or CSV must escape. */
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

const escapeCsv = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const formats: Readonly<Record<BulkFormat, { first: string; row: (number: number) => string; last: string }>> = {
  ndjson: { first: '', row: (number) => `${JSON.stringify(rowOf(number))}\n`, last: '' },
  json: { first: '[', row: (number) => `${number > 1 ? ',\n' : ''}${JSON.stringify(rowOf(number))}`, last: ']' },
  csv: {
    first: `${Object.keys(rowOf(1)).join()}\r\n`,
    row: (number) => `${Object.values(rowOf(number)).map(escapeCsv).join()}\r\n`,
    last: '',
  },
};

const rowsPerChunk = 200;

/** Generates a file of at least `bytes` bytes while it is read. `made` counts the rows and bytes generated so far. */
export const generateLargeFile = (format: BulkFormat, bytes: number) => {
  const { first, row, last } = formats[format];
  const made = { rows: 0, bytes: 0 };
  async function* content(): AsyncGenerator<Buffer, void, void> {
    const encode = (text: string) => {
      const buffer = Buffer.from(text);
      made.bytes += buffer.length;
      return buffer;
    };
    yield await Promise.resolve(encode(first));
    while (made.bytes < bytes) {
      const from = made.rows + 1;
      made.rows += rowsPerChunk;
      yield encode(Array.from({ length: rowsPerChunk }, (_, at) => row(from + at)).join(''));
    }
    yield encode(last);
  }
  return { content, made };
};
