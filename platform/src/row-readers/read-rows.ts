import type { BulkFormat } from '@popsvc/contracts/bulk';
import { csvRows } from './csv.ts';
import { jsonRows, ndjsonRows } from './json.ts';
import { plainBytes } from './text-input.ts';
import type { CsvColumns, FileRow, FileRowBatch } from './rows.ts';

/** A longer row is a bad row; no more than this of a row is ever held. */
export const maxRowBytes = 1_048_576;

export interface ReadRowsOptions {
  readonly format: BulkFormat;
  /** For CSV alone. Default: `header`. */
  readonly columns?: CsvColumns | undefined;
  /** Default: maxRowBytes. */
  readonly maxRowBytes?: number;
}

/**
 * The rows of a file in order, in memory that does not grow with it, the same however the bytes arrive. A bad row is told and the
 * rest goes on; UnreadableFile is thrown, after the rows before it, where nothing can go on. Errors of the stream pass through.
 */
export async function* readRows(
  file: AsyncIterable<Uint8Array>,
  asked: ReadRowsOptions,
): AsyncGenerator<FileRowBatch, void, void> {
  const bytes = plainBytes(file);
  const most = asked.maxRowBytes ?? maxRowBytes;
  const contents = {
    ndjson: () => ndjsonRows(bytes, most),
    json: () => jsonRows(bytes, most),
    csv: () => csvRows(bytes, most, asked.columns ?? 'header'),
  }[asked.format]();
  let row = 0;
  for await (const { pieces, bytesRead } of contents) {
    const rows = pieces.map((content): FileRow => {
      row += 1;
      return 'event' in content ? { row, event: content.event } : { row, error: content.error };
    });
    yield { rows, bytesRead };
  }
}
