import { type PopEvent } from '@popsvc/contracts/commands';
import { parse } from 'csv-parse';
import { Failure } from '../cli/failure.ts';
import { openText } from './open-text.ts';
import { playOfRow } from './play-of-row.ts';
import type { Numbered } from './read.ts';

/** Far beyond any row; a quote that is never closed ends here and not with the memory. */
const longestRow = 64 * 1024;

/** The plays of a playout file, row by row. */
export async function* readPlayout(path: string): AsyncGenerator<Numbered<PopEvent>> {
  const rows = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: longestRow,
  });
  const bytes = await openText(path);
  bytes.once('error', (error) => rows.destroy(error)).pipe(rows);
  let row = 0;
  try {
    for await (const record of rows) yield { row: ++row, ...playOfRow(record as string[]) };
  } catch (error) {
    throw new Failure(`${path}: row ${row + 1} cannot be read: ${(error as Error).message}`);
  } finally {
    bytes.destroy();
  }
}
