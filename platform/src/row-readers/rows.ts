/** A row of a bulk file, or the reason why it is invalid. Rows are counted from 1; headers and blank lines are not counted. */
export type FileRow =
  | { readonly row: number; readonly event: Readonly<Record<string, unknown>> }
  | { readonly row: number; readonly error: string };

/** Consecutive rows of a file. */
export interface FileRowBatch {
  readonly rows: readonly FileRow[];
  /** Approximate number of bytes of the file read so far. */
  readonly bytesRead: number;
}

/** Column names of a CSV file: from its header row, numbered (c1, c2, …), or as given. */
export type CsvColumns = 'header' | 'numbered' | readonly string[];

/** The rest of the file cannot be read, because it is truncated, compressed or of another format. The message is for the vendor. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The lines, records or elements that a chunk of the file completes. */
export interface Pieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly bytesRead: number;
}

/** The content of a row, or the reason why it is invalid. */
export type Content = { readonly event: Readonly<Record<string, unknown>> } | { readonly error: string };

/** Collects a piece of the file that spans chunks. */
interface PieceBuffer {
  add(bytes: Buffer): void;
  /** Adds the last bytes and returns the piece; undefined if it exceeds the limit. The next piece begins. */
  close(last: Buffer): Buffer | undefined;
  /** Whether bytes were added since the last close. */
  isOpen(): boolean;
}

/** Creates a buffer that never holds more than `maxBytes`. */
export const createPieceBuffer = (maxBytes: number): PieceBuffer => {
  let held: Buffer[] = [];
  let length = 0;
  const add = (bytes: Buffer) => {
    length += bytes.length;
    if (length > maxBytes) held = [];
    else if (bytes.length > 0) held.push(bytes);
  };
  return {
    add,
    isOpen: () => length > 0,
    close(last) {
      if (length === 0) return last.length > maxBytes ? undefined : last;
      add(last);
      const piece = length > maxBytes ? undefined : Buffer.concat(held);
      held = [];
      length = 0;
      return piece;
    },
  };
};

export const tooLongError = (maxBytes: number): { readonly error: string } => ({
  error: `is longer than ${maxBytes.toLocaleString('en')} bytes`,
});
