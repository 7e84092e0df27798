/** First and last line, from 1, of a CSV row in which a quoted field spans several lines. */
export interface RowLines {
  readonly from: number;
  readonly to: number;
}

/** Row numbers start at 1; headers and blank lines have no number. */
export type FileRow =
  | { readonly row: number; readonly event: Readonly<Record<string, unknown>>; readonly lines?: RowLines }
  | { readonly row: number; readonly error: string };

export interface FileRowBatch {
  readonly rows: readonly FileRow[];
  /** Approximate number of bytes read from the file so far. */
  readonly bytesRead: number;
}

/** `numbered`: the names c1, c2, … */
export type CsvColumns = 'header' | 'numbered' | readonly string[];

/** The rest of a file cannot be read. The message is for the vendor. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** The lines, records or elements that end in one chunk of the file. */
export interface Pieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly bytesRead: number;
}

export type Content =
  { readonly event: Readonly<Record<string, unknown>>; readonly lines?: RowLines } | { readonly error: string };

interface PieceBuffer {
  add(bytes: Buffer): void;
  /** Adds the last bytes and returns the whole piece; undefined if the piece exceeds the limit. */
  close(last: Buffer): Buffer | undefined;
  isOpen(): boolean;
}

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

export const notUtf8Error = { error: 'is not UTF-8; save the file as UTF-8' };
