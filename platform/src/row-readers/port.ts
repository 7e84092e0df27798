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
