/** What a piece of a chunk of the file became. */
export interface Pieces<Piece> {
  readonly pieces: readonly Piece[];
  readonly bytesRead: number;
}

/** What a row holds, before it is counted. */
export type Content = { readonly event: Readonly<Record<string, unknown>> } | { readonly error: string };

/** A part of a file whose beginning may stand in earlier chunks; one that is longer than it may be is not held. */
export interface OpenPiece {
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
