import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { BulkFormat } from '@popsvc/contracts/bulk';
import type { Mapping } from '@popsvc/contracts/mappings';
import { type FileRow, readRows, UnreadableFile } from '@popsvc/platform/row-readers';
import { CliError } from '../output/cli-error.ts';

/** Opens a file as a stream of bytes. If the file name ends in `.gz`, the stream is decompressed. */
export const openDataFile = async (path: string): Promise<Readable> => {
  try {
    await access(path);
  } catch (error) {
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  }
  const bytes = createReadStream(path);
  // If reading the file fails, `pipeline` passes the error on to the consumer of the decompressed stream.
  return path.endsWith('.gz') ? pipeline(bytes, createGunzip(), () => undefined) : bytes;
};

const formatOfExtension: Readonly<Record<string, BulkFormat>> = {
  csv: 'csv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
};

/** Returns the format that a file name's extension indicates, ignoring a final `.gz`; undefined for an unknown extension. */
export const formatOfFileName = (path: string): BulkFormat | undefined =>
  formatOfExtension[/\.([a-z]+)(?:\.gz)?$/i.exec(path)?.[1]?.toLowerCase() ?? ''];

/** Reads the rows of a file the way a bulk job with the given column mapping would read them. */
export async function* readFileRows(
  path: string,
  format: BulkFormat,
  { columns = 'header' }: { readonly columns?: Mapping['columns'] | 'header' },
): AsyncGenerator<FileRow> {
  const bytes = await openDataFile(path);
  try {
    for await (const { rows } of readRows(bytes, { format, columns })) yield* rows;
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CliError(`${path}: ${error.message}`);
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`);
  } finally {
    bytes.destroy();
  }
}
