import type { BulkFormat } from '@popsvc/contracts/bulk';
import type { Mapping } from '@popsvc/contracts/mappings';
import { type FileRow, readRows, UnreadableFile } from '@popsvc/platform/row-readers';
import { Failure } from '../program/failure.ts';
import { openText } from '../import/open-text.ts';

const formats: Readonly<Record<string, BulkFormat>> = { csv: 'csv', json: 'json', ndjson: 'ndjson', jsonl: 'ndjson' };

/** What the name of a file says it is, `.gz` left aside; undefined when it says nothing. */
export const formatOf = (path: string): BulkFormat | undefined =>
  formats[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];

/** The rows of a file as a bulk job with this mapping would see them. */
export async function* fileRows(
  path: string,
  format: BulkFormat,
  { columns = 'header' }: { readonly columns?: Mapping['columns'] | 'header' },
): AsyncGenerator<FileRow> {
  const bytes = await openText(path);
  try {
    for await (const { rows } of readRows(bytes, { format, columns })) yield* rows;
  } catch (error) {
    if (error instanceof UnreadableFile) throw new Failure(`${path}: ${error.message}`);
    throw new Failure(`${path} cannot be read: ${(error as Error).message}`);
  } finally {
    bytes.destroy();
  }
}
