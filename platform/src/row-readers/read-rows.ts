import type { BulkFormat, CsvDelimiter } from '@popsvc/contracts/bulk';
import { type CsvHeader, parseCsvHeader, readCsvRows } from './csv.ts';
import { readJsonRows, readNdjsonRows } from './json.ts';
import { decodedBytes } from './text-input.ts';
import type { CsvColumns, FileRow, FileRowBatch } from './rows.ts';

const maxRowBytes = 1_048_576;

export interface ReadRowsOptions {
  readonly format: BulkFormat;
  readonly columns?: CsvColumns | undefined;
  readonly delimiter?: CsvDelimiter | undefined;
  /** In bytes. Default: 1 MiB. */
  readonly maxRowBytes?: number;
}

/** Yields an error for an invalid row. Throws UnreadableFile after the last readable row if the rest cannot be read. */
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

const maxHeaderBytes = 2 * maxRowBytes;

/**
 * If no delimiter is given, chooses the one that yields the most columns. Throws UnreadableFile if the header row is missing or invalid.
 */
export const readCsvHeader = (file: AsyncIterable<Uint8Array>, delimiter?: CsvDelimiter): Promise<CsvHeader> =>
  parseCsvHeader(decodedBytes(firstBytes(file, maxHeaderBytes), 'remove'), maxRowBytes, delimiter);
