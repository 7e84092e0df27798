import { createReadStream } from 'node:fs';
import type { BulkFormat, CsvDelimiter } from '@popsvc/contracts/bulk';
import type { Mapping } from '@popsvc/contracts/mappings';
import { decompress } from '@popsvc/platform/decompression';
import { type FileRow, readCsvHeader, readRows, UnreadableFile } from '@popsvc/platform/row-readers';
import { CliError } from '../output/cli-error.ts';

const gzipMagic = Buffer.of(0x1f, 0x8b);

async function* requireGzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isChecked = false;
  for await (const chunk of chunks) {
    if (!isChecked && !gzipMagic.subarray(0, chunk.length).equals(chunk.subarray(0, gzipMagic.length)))
      throw new Error('it is not compressed with gzip, as the end of its name says; rename the file');
    isChecked = true;
    yield chunk;
  }
}

const openDataFile = (path: string): AsyncIterable<Uint8Array> => {
  const bytes = createReadStream(path) as AsyncIterable<Buffer>;
  // No limit: the file is the operator's own, and its rows are read one by one.
  return /\.gz$/i.test(path) ? decompress(requireGzip(bytes), { coding: 'gzip', maxExpansion: Infinity }) : bytes;
};

const formatOfExtension: Readonly<Record<string, BulkFormat>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

export const formatOfFileName = (path: string): BulkFormat | undefined =>
  formatOfExtension[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];

interface CsvLayout {
  /** The columns of a file without a header row. If absent, the file has a header row. */
  readonly columns?: Mapping['columns'] | undefined;
  /** If absent, the delimiter is detected from the header row. Without a header row, it is a comma. */
  readonly delimiter?: CsvDelimiter | undefined;
}

/** The returned `file` yields all bytes, including the header row. The input is not opened again, because a pipe can be read only once. */
const detectDelimiter = async (
  file: AsyncIterable<Uint8Array>,
): Promise<{ readonly file: AsyncIterable<Uint8Array>; readonly delimiter: CsvDelimiter }> => {
  const chunks = file[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  async function* readHead() {
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      head.push(next.value);
      yield next.value;
    }
  }
  async function* readAll() {
    yield* head;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const { delimiter } = await readCsvHeader(readHead());
  return { file: readAll(), delimiter };
};

/** If the file cannot be read to its end, throws a CliError after the last readable row. */
export async function* readFileRows(
  path: string,
  format: BulkFormat,
  { columns, delimiter }: CsvLayout = {},
): AsyncGenerator<FileRow> {
  let lastRow = 0;
  try {
    const opened = { file: openDataFile(path), delimiter };
    const isDetected = format === 'csv' && !columns && !delimiter;
    const { file, ...layout } = isDetected ? await detectDelimiter(opened.file) : opened;
    for await (const { rows } of readRows(file, { format, columns, ...layout }))
      for (const row of rows) {
        yield row;
        lastRow = row.row;
      }
  } catch (error) {
    const after = lastRow === 0 ? '' : ` after row ${lastRow}`;
    throw new CliError(
      error instanceof UnreadableFile
        ? `${path}${after}: ${error.message}`
        : `${path} cannot be read${after}: ${(error as Error).message}`,
    );
  }
}
