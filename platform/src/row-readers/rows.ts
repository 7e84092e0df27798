/** A data row of a bulk file, from 1; or what is wrong with it. Blank lines are not rows. */
export type FileRow =
  | { readonly row: number; readonly event: Readonly<Record<string, unknown>> }
  | { readonly row: number; readonly error: string };

/** Rows that follow each other in a file. */
export interface FileRowBatch {
  readonly rows: readonly FileRow[];
  /** Of the file so far, about. */
  readonly bytesRead: number;
}

/** How the rows of a CSV get their names: by the header row, by these columns, or as c1, c2 … */
export type CsvColumns = 'header' | 'numbered' | readonly string[];

/** The file cannot be read on: cut, gzip, not of this format. Says in words for the vendor why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/** What a piece of a chunk of the file became. */
export interface Pieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly bytesRead: number;
}

/** What a row holds, before it is counted. */
export type Content = { readonly event: Readonly<Record<string, unknown>> } | { readonly error: string };

/** A part of a file whose beginning may stand in earlier chunks; one that is longer than it may be is not held. */
interface OpenPiece {
  add(bytes: Buffer): void;
  /** Undefined: it was too long. The next one begins. */
  close(last: Buffer): Buffer | undefined;
  /** Whether anything was added since the last close. */
  isOpen(): boolean;
}

export const openPiece = (mostBytes: number): OpenPiece => {
  let held: Buffer[] = [];
  let length = 0;
  const add = (bytes: Buffer) => {
    length += bytes.length;
    if (length > mostBytes) held = [];
    else if (bytes.length > 0) held.push(bytes);
  };
  return {
    add,
    isOpen: () => length > 0,
    close(last) {
      if (length === 0) return last.length > mostBytes ? undefined : last;
      add(last);
      const whole = length > mostBytes ? undefined : Buffer.concat(held);
      [held, length] = [[], 0];
      return whole;
    },
  };
};

export const tooLong = (mostBytes: number): { readonly error: string } => ({
  error: `is longer than ${mostBytes.toLocaleString('en')} bytes`,
});
