import { type FileRow, readRows, type ReadRowsOptions, UnreadableFile } from '@popsvc/platform/row-readers';

/** The result of reading a file: events and errors by row, and why reading ended early. */
export interface ReadRows {
  readonly rows: readonly FileRow[];
  readonly events: readonly unknown[];
  /** `[row, error]`. */
  readonly errors: readonly (readonly [number, string])[];
  readonly unreadable: string | undefined;
}

/** Splits the bytes into chunks of the given sizes, repeated. */
async function* inChunks(bytes: Buffer, sizes: readonly number[] = [bytes.length || 1]): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

export const readAll = async (
  file: string | Buffer | AsyncIterable<Uint8Array>,
  options: ReadRowsOptions,
  sizes?: readonly number[],
): Promise<ReadRows> => {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const rows: FileRow[] = [];
  let unreadable: string | undefined;
  try {
    const chunks = Buffer.isBuffer(bytes) ? inChunks(bytes, sizes) : bytes;
    for await (const batch of readRows(chunks, options)) rows.push(...batch.rows);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    unreadable = error.message;
  }
  return {
    rows,
    events: rows.flatMap((row) => ('event' in row ? [row.event] : [])),
    errors: rows.flatMap((row) => ('error' in row ? [[row.row, row.error] as const] : [])),
    unreadable,
  };
};
