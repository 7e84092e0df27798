import type { BulkFormat, CsvDelimiter } from '@popsvc/contracts/bulk';
import { type CsvHeader, parseCsvHeader, readCsvRows } from './csv.ts';
import { readJsonRows, readNdjsonRows } from './json.ts';
import { decodedBytes } from './text-input.ts';
import type { CsvColumns, FileRow, FileRowBatch } from './rows.ts';

/** Default size limit of a row, in bytes. A longer row is invalid and is not held in memory. */
const maxRowBytes = 1_048_576;

export interface ReadRowsOptions {
  readonly format: BulkFormat;
  /** Column names of a CSV file. Default: `header`. */
  readonly columns?: CsvColumns | undefined;
  /** Delimiter of a CSV file. Default: a comma. */
  readonly delimiter?: CsvDelimiter | undefined;
  /** Size limit of a row, in bytes. Default: the constant `maxRowBytes`. */
  readonly maxRowBytes?: number;
}

/**
 * Yields the rows of a file in order, using bounded memory. The rows do not depend on how the bytes are split into chunks. For an
 * invalid row, yields its error and continues. If the rest of the file cannot be read, throws UnreadableFile after the last
 * readable row. Errors of the source are passed on.
 */
export async function* readRows(
  file: AsyncIterable<Uint8Array>,
  options: ReadRowsOptions,
): AsyncGenerator<FileRowBatch, void, void> {
  const bytes = decodedBytes(file, options.format === 'json' ? 'blank' : 'remove');
  const maxBytes = options.maxRowBytes ?? maxRowBytes;
  const contents = {
    ndjson: () => readNdjsonRows(bytes, maxBytes),
    json: () => readJsonRows(bytes, maxBytes),
    csv: () => readCsvRows(bytes, maxBytes, options.columns ?? 'header', options.delimiter ?? ','),
  }[options.format]();
  let row = 0;
  for await (const { pieces, bytesRead } of contents) {
    const rows = pieces.map((content): FileRow => {
      row += 1;
      return { row, ...content };
    });
    yield { rows, bytesRead };
  }
}

async function* firstBytes(file: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array, void, void> {
  let left = count;
  for await (const chunk of file) {
    yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) return;
  }
}

/** A header row must end within this many bytes. Blank lines may precede it. */
const maxHeaderBytes = 2 * maxRowBytes;

/**
 * Reads the header row of a CSV file, and no more of the file than that needs. If no delimiter is given, chooses the one that
 * yields the most columns. Throws UnreadableFile if `readRows` could not read the header row either. Errors of the source are
 * passed on.
 */
export const readCsvHeader = (file: AsyncIterable<Uint8Array>, delimiter?: CsvDelimiter): Promise<CsvHeader> =>
  parseCsvHeader(decodedBytes(firstBytes(file, maxHeaderBytes), 'remove'), maxRowBytes, delimiter);
