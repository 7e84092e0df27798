import { maxBulkJobWarnings } from '@popsvc/contracts/bulk';
import type { MultiLineRows } from '@popsvc/domain/bulk';
import type { FileRowBatch } from '@popsvc/platform/row-readers';

export interface MultiLineRowFinder {
  /** Passes on the rows of a file. Every attempt reads all of them, also those that an earlier attempt has stored. */
  readonly watch: (batches: AsyncIterable<FileRowBatch>) => AsyncIterable<FileRowBatch>;
  /** Returns the rows so far that have a quoted field over several lines; undefined without any. */
  readonly found: () => MultiLineRows | undefined;
}

export const createMultiLineRowFinder = (): MultiLineRowFinder => {
  const first: { row: number; fromLine: number; toLine: number }[] = [];
  let count = 0;
  return {
    async *watch(batches) {
      for await (const batch of batches) {
        for (const row of batch.rows)
          if ('lines' in row) {
            count += 1;
            const { from: fromLine, to: toLine } = row.lines;
            if (first.length < maxBulkJobWarnings) first.push({ row: row.row, fromLine, toLine });
          }
        yield batch;
      }
    },
    found: () => (count === 0 ? undefined : { count, first }),
  };
};
