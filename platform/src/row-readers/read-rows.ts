import type { BulkFormat } from '@popsvc/contracts/bulk';
import { readCsvRows } from './csv.ts';
import { readJsonRows, readNdjsonRows } from './json.ts';
import { decodedBytes } from './text-input.ts';
import type { CsvColumns, FileRow, FileRowBatch } from './rows.ts';

/** Default size limit of a row. A longer row is invalid and is not held in memory. */
export const maxRowBytes = 1_048_576;

export interface ReadRowsOptions {
  readonly format: BulkFormat;
  /** For CSV only. Default: `header`. */
  readonly columns?: CsvColumns | undefined;
  /** Default: maxRowBytes. */
  readonly maxRowBytes?: number;
}

/**
 * Yields the rows of a file in order, in bounded memory; the result does not depend on how the bytes are split into chunks. An
 * invalid row is yielded with its error, and reading continues. Throws UnreadableFile after the last readable row if the rest cannot
 * be read. Errors of the source are passed on.
 */
export async function* readRows(
  file: AsyncIterable<Uint8Array>,
  options: ReadRowsOptions,
): AsyncGenerator<FileRowBatch, void, void> {
  const bytes = decodedBytes(file);
  const maxBytes = options.maxRowBytes ?? maxRowBytes;
  const contents = {
    ndjson: () => readNdjsonRows(bytes, maxBytes),
    json: () => readJsonRows(bytes, maxBytes),
    csv: () => readCsvRows(bytes, maxBytes, options.columns ?? 'header'),
  }[options.format]();
  let row = 0;
  for await (const { pieces, bytesRead } of contents) {
    const rows = pieces.map((content): FileRow => {
      row += 1;
      return 'event' in content ? { row, event: content.event } : { row, error: content.error };
    });
    yield { rows, bytesRead };
  }
}
